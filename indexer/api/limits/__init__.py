"""Rate limits of clients: for the API, and for the node behind it."""
