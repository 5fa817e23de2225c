"""A client of Solana's nodes, programs and wallets that knows nothing of the market."""
