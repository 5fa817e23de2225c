"""API keys, with which scripts ask the market's API for you."""

COMMANDS = ("create", "list", "revoke")
