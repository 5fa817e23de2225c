"""Lock market tokens to reduce the extra fee on orders paid in other tokens."""

COMMANDS = ("lock:show", "lock", "lock:unlock", "lock:withdraw")
