"""Show a job, verify its machine or import its key. `gpu-market job JOB` shows it; see `gpu-market job show --help`."""

COMMANDS = ("show", "import_key", "verify")
DEFAULT = "show"
DEFAULT_TAKES_FILE = True
