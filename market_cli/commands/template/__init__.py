"""Saved orders, to start from with --template."""

COMMANDS = ("template:list", "template:show", "template:save", "template:delete", "template:share")
DEFAULT = "list"
