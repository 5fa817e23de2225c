"""Your wallet: key, balances and quotas."""

COMMANDS = ("show", "new", "airdrop", "quota")
