"""Answers that are kept as bytes until what they say has changed."""
