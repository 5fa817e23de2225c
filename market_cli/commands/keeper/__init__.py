"""Finalize due rentals and earn their tips, and manage a keeper's lookup table. Without a command, `run`."""

DEFAULT = "run"
COMMANDS = ("run", "table")
