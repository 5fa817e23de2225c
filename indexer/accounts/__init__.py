"""Sign-in, and all else that the API keeps itself and no chain brings back. Rebuilds of the index do not touch it."""
