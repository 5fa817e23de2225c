"""Sources of the index's transactions."""
