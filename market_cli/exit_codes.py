"""Exit codes of commands."""

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


class ReaderGone(Exception):
    """The reader of the output has gone. Not an OSError, which would count as a lost connection."""


class RemoteExit(Exception):
    """A command on a rented machine has ended; its exit code becomes the command line's own."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
