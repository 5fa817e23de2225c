"""The address lookup table that a keeper with the lookup table `auto` makes."""

COMMANDS = ("show", "close")
