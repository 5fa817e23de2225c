"""Stake market tokens for lower fees, higher quotas, priority, and a share of the fees."""

COMMANDS = ("show", "add", "remove", "withdraw", "close", "claim", "compound", "fund")
