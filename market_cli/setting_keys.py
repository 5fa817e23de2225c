"""Keys that can be set."""

from __future__ import annotations

KEYS = {
    "cluster": "localnet, devnet, mainnet or the URL of an RPC node",
    "rpc_url": "URL of an RPC node, or several separated by commas; overrides cluster",
    "rpc_rate": "maximum calls per second to each node",
    "ws_url": "URL of its WebSocket, if it is not the default",
    "api_url": "URL of the market's API",
    "keypair": "path of a Solana key file",
    "program_id": "address of the market's program",
}
"""Keys of the environment, as GPU_MARKET_<KEY>, and, except `cluster`, of each profile, which may also have `TABLES`.
"""
IN_USE = "cluster"
TABLES = {
    "tokens": "mints by symbol",
    "price_feeds": "accounts with Pyth's price updates by symbol or mint, if not those sponsored by Pyth",
}
IN_TABLES = [f"{table}.SYMBOL" for table in TABLES]
