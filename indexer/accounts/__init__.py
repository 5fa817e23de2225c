"""Who signs in: what the API keeps of its own, which no chain brings back. Rebuilds of the index do not touch it."""
