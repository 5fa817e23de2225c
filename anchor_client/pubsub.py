"""Subscriptions to a cluster."""

from __future__ import annotations

from solana.rpc.websocket_api import SolanaWsClient

CLOSE_SECONDS = 1.0
"""A subscriber that leaves while notifications come in stops reading, and so never reads the answer to its farewell."""


def subscriber(ws_url: str) -> SolanaWsClient:
    """An async context manager over a connection, which takes no longer than CLOSE_SECONDS to close."""
    return SolanaWsClient(ws_url, close_timeout=CLOSE_SECONDS)
