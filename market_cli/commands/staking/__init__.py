"""Stake market tokens for lower fees, higher quotas, priority, and a share of the fees."""

COMMANDS = (
    "stake:show",
    "stake",
    "stake:unstake",
    "stake:withdraw",
    "stake:close",
    "rewards:claim",
    "rewards:compound",
    "rewards:fund",
)
