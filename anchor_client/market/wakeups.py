"""Wakes a reader when an account changes: by subscription where there is one, by time where not."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from solana.rpc.commitment import Commitment
from solana.rpc.websocket_api import SolanaWsClient
from solders.pubkey import Pubkey

from anchor_client.service.pacing import background
from anchor_client.solana.pubsub import Subscription

POLL_SECONDS: Final = 2.0
WATCH_SECONDS: Final = 15.0
"""Seconds that a subscribed reader waits before it reads anyway."""


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
        """Endless wake-ups: one immediately, then one whenever the account changes."""

        async def subscribe(socket: SolanaWsClient) -> None:
            await socket.account_subscribe(pubkey=address, commitment=self._commitment, encoding="base64")

        subscription = Subscription(self._ws_url, subscribe, log_level=logging.DEBUG)
        async with background(subscription.run()):
            yield self._wakeups(subscription)

    async def _wakeups(self, subscription: Subscription) -> AsyncIterator[None]:
        while True:
            yield
            await subscription.wait(self._watch_seconds if subscription.is_live else self._poll_seconds)
