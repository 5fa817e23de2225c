"""Saved searches: your webhooks are told of machines that come to fit."""

COMMANDS = ("list", "remove")
