"""Ask for a kind of machine, and be matched with one."""

COMMANDS = ("open", "list", "show", "cancel")
