"""Show and change the settings file."""

COMMANDS = ("show", "set")
