"""Offer machines and keep them online."""

COMMANDS = (
    "account:register",
    "account:approve",
    "list",
    "listing:price",
    "listing:operator",
    "listing:heartbeat",
    "listing:claim",
    "listing:mark",
    "run",
    "machines",
    "score:show",
    "score",
)
