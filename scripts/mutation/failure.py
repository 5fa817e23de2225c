"""What stops a run."""


class Failure(Exception):
    """A step that had to work did not; the text says which, with the end of its output."""
