"""Saved searches: your webhooks are notified of machines that come to fit."""

COMMANDS = ("list", "remove")
