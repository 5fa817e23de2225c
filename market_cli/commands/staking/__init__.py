"""Stake market tokens: lower fees, more rentals at a time, priority, and a share of the fees."""

COMMANDS = ("show", "add", "remove", "withdraw", "close", "claim", "compound", "fund")
