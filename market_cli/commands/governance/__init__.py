"""Propose changes, vote on them and execute them."""

COMMANDS = ("propose", "vote", "list", "show", "cancel", "queue", "execute", "close_vote", "hand_over")
