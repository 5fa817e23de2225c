"""The address lookup table of a keeper with the lookup table `auto`."""

COMMANDS = ("show", "close")
