"""Propose changes, vote on them and execute them."""

COMMANDS = (
    "propose",
    "vote",
    "proposal:list",
    "proposal:show",
    "parameters",
    "decision:cancel",
    "decision:queue",
    "decision:execute",
    "decision:veto",
    "decision:close",
    "vote:close_vote",
    "hand_over",
)
