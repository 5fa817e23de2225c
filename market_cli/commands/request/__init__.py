"""Request a machine by its specifications and be matched with one."""

COMMANDS = ("open", "request:list", "request:show", "request:cancel")
