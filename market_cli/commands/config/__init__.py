"""Show and change settings."""

COMMANDS = ("show", "set", "use")
