"""Open a market on a cluster; verify, publish or close its program. With a file: open the market that it describes."""

DEFAULT = "market"
DEFAULT_TAKES_FILE = True
COMMANDS = ("init", "market", "verify", "metadata", "close")
