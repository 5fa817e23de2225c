"""The error that stops a run."""


class Failure(Exception):
    """A required step failed; the message names it, with the end of its output."""
