"""What a command's exit code says."""

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
