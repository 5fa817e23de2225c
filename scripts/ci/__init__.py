"""Runs what a change must pass, several steps at a time."""
