"""The nodes that the index is read from."""

from __future__ import annotations

from collections.abc import Callable

from anchor_client.service.redaction import urls_of
from anchor_client.solana.json_rpc import JsonRpc, Retries
from indexer.settings import IndexerSettings

TIMEOUT_SECONDS = 30.0
ASKED_AGAIN_SECONDS = 6.0
"""A node that hung has to be read again within ten seconds of its recovery; pages of history take this long to come."""
RETRIES = Retries(attempts=5)


def node_of(
    settings: IndexerSettings,
    answered: Callable[[], object] = lambda: None,
    failed: Callable[[Exception], object] = lambda error: None,
) -> JsonRpc:
    """Calls of them, as an async context manager.

    `answered` is called after each answer, `failed` with each failure after which a call is tried again.
    """
    return JsonRpc(
        urls_of(settings.rpc_url),
        timeout=TIMEOUT_SECONDS,
        retries=RETRIES,
        rate=settings.rpc_rate,
        asked_again=ASKED_AGAIN_SECONDS,
        answered=answered,
        failed=failed,
    )
