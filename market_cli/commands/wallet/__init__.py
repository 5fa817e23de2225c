"""The wallet that signs."""

COMMANDS = ("show", "new", "airdrop", "quota")
