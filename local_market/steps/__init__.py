"""What seeds a market, step by step; each step is done once the account that it creates exists."""
