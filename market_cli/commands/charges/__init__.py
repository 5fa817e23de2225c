"""Traffic and storage charges of a job."""

COMMANDS = (
    "meter:show",
    "meter:open",
    "meter:dispute",
    "meter:accept",
    "meter:settle",
    "meter:close",
    "set",
    "meter:report",
)
