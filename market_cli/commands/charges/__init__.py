"""Traffic and storage charges of a job."""

COMMANDS = ("show", "open", "dispute", "accept", "settle", "close", "set", "report")
