"""Sign-ins and other data that only the API keeps, and the chain cannot restore. Rebuilds of the index keep it."""
