"""API keys, which let scripts use the market's API for you."""

COMMANDS = ("create", "list", "revoke")
