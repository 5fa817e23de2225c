"""Counts of the Python's language and structure: how docstrings open, names that two classes share, density, cycles."""
