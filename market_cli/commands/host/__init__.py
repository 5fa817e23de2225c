"""Offer machines and keep them online."""

COMMANDS = (
    "account:register",
    "account:approve",
    "list",
    "listing:price",
    "listing:heartbeat",
    "run",
    "machines",
    "score:show",
    "score",
)
