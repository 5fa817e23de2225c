"""Request a machine by its specifications and be matched with one."""

COMMANDS = ("open", "list", "show", "cancel")
