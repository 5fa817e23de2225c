"""Solana's JSON-RPC methods over a Cluster: one family a file, a registry, and the JSON-RPC envelope."""
