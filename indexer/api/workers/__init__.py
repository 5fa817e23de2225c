"""Processes that answer requests: the master, its workers, and their metrics."""
