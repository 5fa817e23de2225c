"""Propose changes, vote on them and execute them."""

COMMANDS = (
    "propose",
    "vote",
    "proposal:list",
    "proposal:show",
    "decision:cancel",
    "decision:queue",
    "decision:execute",
    "vote:close_vote",
    "hand_over",
)
