"""Lock market tokens to reduce the extra fee on orders paid in other tokens."""

COMMANDS = ("show", "lock", "unlock", "withdraw")
