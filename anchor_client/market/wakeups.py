"""Wakes a reader when an account changes: by subscription where there is one, by time where not.

A wake-up says only "look again": what happened is read from the chain, so a lost one costs time and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
from solana.rpc.commitment import Commitment
from solana.rpc.jsonrpc import SolanaJsonRpcError
from solders.pubkey import Pubkey
from websockets.exceptions import WebSocketException

from anchor_client.pubsub import subscriber

POLL_SECONDS: Final = 2.0
WATCH_SECONDS: Final = 15.0
"""How long a subscribed reader waits before it looks anyway."""

_LOST: Final = (OSError, TimeoutError, WebSocketException, SolanaJsonRpcError)
_log = structlog.get_logger(__name__)


class AccountWakeups:
    """Wake-ups for accounts of one cluster; without `ws_url` by time alone."""

    def __init__(
        self,
        ws_url: str | None,
        *,
        commitment: Commitment,
        poll_seconds: float = POLL_SECONDS,
        watch_seconds: float = WATCH_SECONDS,
    ) -> None:
        self._ws_url = ws_url
        self._commitment = commitment
        self._poll_seconds = poll_seconds
        self._watch_seconds = watch_seconds

    @asynccontextmanager
    async def of(self, address: Pubkey) -> AsyncIterator[AsyncIterator[None]]:
        """Endless wake-ups: one at once, then whenever the account changes."""
        changed, subscribed = asyncio.Event(), asyncio.Event()
        listener = asyncio.create_task(self._listen(address, changed, subscribed), name=f"watch-{address}")
        try:
            yield self._wakeups(changed, subscribed)
        finally:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)

    async def _wakeups(self, changed: asyncio.Event, subscribed: asyncio.Event) -> AsyncIterator[None]:
        while True:
            changed.clear()
            yield
            patience = self._watch_seconds if subscribed.is_set() else self._poll_seconds
            try:
                async with asyncio.timeout(patience):
                    await changed.wait()
            except TimeoutError:
                continue

    async def _listen(self, address: Pubkey, changed: asyncio.Event, subscribed: asyncio.Event) -> None:
        if self._ws_url is None:
            return
        while True:
            try:
                async with subscriber(self._ws_url) as socket:
                    await socket.account_subscribe(pubkey=address, commitment=self._commitment, encoding="base64")
                    subscribed.set()
                    changed.set()
                    async for _ in socket:
                        changed.set()
            except _LOST as error:
                _log.debug("subscription lost", account=str(address), reason=str(error))
            subscribed.clear()
            await asyncio.sleep(self._poll_seconds)
