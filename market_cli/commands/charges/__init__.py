"""See, cap and settle what a rental's traffic and storage cost."""

COMMANDS = ("show", "open", "dispute", "accept", "settle", "close", "set", "report")
