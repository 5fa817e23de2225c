"""Propose, vote, and carry out what was voted for."""

COMMANDS = ("propose", "vote", "list", "show", "cancel", "queue", "execute", "close_vote", "hand_over")
