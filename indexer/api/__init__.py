"""The read API over the index, and transactions for wallets to sign."""
