"""The node that the index is read from."""

from __future__ import annotations

from anchor_client.json_rpc import JsonRpc, Retries
from indexer.settings import Settings

TIMEOUT_SECONDS = 30.0
RETRIES = Retries(attempts=5)


def node_of(settings: Settings) -> JsonRpc:
    """Calls of it, as an async context manager."""
    return JsonRpc(settings.rpc_url, timeout=TIMEOUT_SECONDS, retries=RETRIES)
