"""Keys that can be set."""

from __future__ import annotations

KEYS = {
    "cluster": "localnet, devnet, mainnet or the URL of an RPC node",
    "rpc_url": "URL of an RPC node, or of several separated by commas; wins over cluster",
    "rpc_rate": "calls a second of each node at most",
    "ws_url": "URL of its WebSocket, where it is not the usual one",
    "api_url": "URL of the market's API",
    "keypair": "path of a Solana key file",
    "program_id": "address of the market's program",
}
"""Keys of the environment, as GPU_MARKET_<KEY>, and but for `cluster` of each profile, which may also have `TABLES`."""
IN_USE = "cluster"
TABLES = {
    "tokens": "mints by symbol",
    "price_feeds": "accounts with Pyth's price updates by symbol or mint, where they are not those that Pyth sponsors",
}
