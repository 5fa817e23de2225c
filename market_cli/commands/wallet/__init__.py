"""Your wallet: key, balances and quotas."""

COMMANDS = ("wallet:show", "wallet:new", "airdrop", "wallet:quota", "profile:close_profile", "rent:sweep_rent")
