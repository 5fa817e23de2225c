"""Index the market into SQL, serve its API, and maintain the index. Without a command, `run`."""

DEFAULT = "run"
COMMANDS = ("run", "source", "verify", "gaps", "dead_letters", "backfill", "rebuild", "export")
