"""Webhooks, which send notices from the market's API to your server."""

COMMANDS = ("add", "list", "show", "change", "rotate", "test", "deliveries", "replay", "remove")
