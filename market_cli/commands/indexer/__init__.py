"""Index the market into SQL and serve its API, and look after the index. Without a command, `run`."""

DEFAULT = "run"
COMMANDS = ("run", "verify", "gaps", "dead_letters", "backfill", "rebuild")
