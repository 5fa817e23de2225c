"""Webhooks, by which the market's API tells your server of what happens."""

COMMANDS = ("add", "list", "show", "change", "rotate", "test", "deliveries", "replay", "remove")
