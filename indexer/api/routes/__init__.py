"""One resource a file."""
