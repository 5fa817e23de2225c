"""Offer machines and keep them online."""

COMMANDS = ("register", "approve", "list", "price", "heartbeat", "run", "machines", "show", "score")
