"""Offer machines and keep them online."""

COMMANDS = (
    "account:register",
    "account:approve",
    "detect",
    "measure",
    "list",
    "change",
    "change:close",
    "listing:price",
    "listing:operator",
    "rotate",
    "seal_key",
    "listing:heartbeat",
    "listing:claim",
    "listing:release",
    "listing:mark",
    "run",
    "machines",
    "earnings",
    "score:show",
    "score",
)
