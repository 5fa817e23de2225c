"""How accounts, transactions and errors look on the wire, as Solana's RPC writes them."""
