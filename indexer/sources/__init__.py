"""Reading the chain from an RPC node."""
