"""Show and change settings."""

COMMANDS = ("show", "set", "unset", "use")
