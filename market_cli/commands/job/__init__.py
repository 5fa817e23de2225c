"""Show a job, or verify its machine. `gpu-market job JOB` shows it; `gpu-market job show --help` has its options."""

COMMANDS = ("show", "verify")
DEFAULT = "show"
DEFAULT_TAKES_FILE = True
