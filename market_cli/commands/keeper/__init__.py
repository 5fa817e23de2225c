"""Finalize due rentals and earn their tips, and look after a keeper's lookup table. Without a command, `run`."""

DEFAULT = "run"
COMMANDS = ("run", "table")
