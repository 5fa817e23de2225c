"""Exit codes of commands."""

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


class ReaderGone(Exception):
    """Nobody reads the output any more. No OSError, so that it is not taken for a lost connection."""


class RemoteExit(Exception):
    """A command on a rented machine has ended; its exit code is the command line's own, whatever it is."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
