"""Open a market on a cluster; verify or close its program. With a file, `market`: opens what the file describes."""

DEFAULT = "market"
DEFAULT_TAKES_FILE = True
COMMANDS = ("init", "market", "verify", "close")
