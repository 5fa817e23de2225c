"""Wire formats of accounts, transactions and errors, as Solana's RPC writes them."""
