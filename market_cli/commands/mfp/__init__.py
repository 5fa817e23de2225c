"""Lock market tokens: with enough for every GPU point, orders in other tokens carry no extra fee."""

COMMANDS = ("show", "lock", "unlock", "withdraw")
