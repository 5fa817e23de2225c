"""Where the index has transactions from."""
