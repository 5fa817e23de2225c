"""Wakes an idle keeper: by the cluster's clock, a changed rental or request, a settled transaction, or a timeout."""

from __future__ import annotations

import time

import structlog
from solana.rpc.websocket_api import SolanaWsClient

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Rental, Request
from anchor_client.pubsub import SILENCE_SECONDS, Subscription, subscribe_to_accounts
from anchor_client.rpc import Reader, account_filters

log = structlog.get_logger(__name__)


class Wakeups:
    """The wake-ups of one keeper."""

    def __init__(self, reader: Reader, ws_url: str | None, *, clock_seconds: float, max_seconds: float) -> None:
        self._reader = reader
        self._clock_seconds = clock_seconds
        self._max_seconds = max_seconds
        self._subscription = Subscription(ws_url, self._subscribe, silence_seconds=SILENCE_SECONDS)

    def call(self) -> None:
        """Wakes the keeper, now or at its next wait."""
        self._subscription.changed.set()

    async def wait(self, next_at: float | None) -> None:
        """Waits for a call, for the cluster's clock to reach `next_at`, or for the longest wait."""
        deadline = time.monotonic() + self._max_seconds
        while (left := deadline - time.monotonic()) > 0:
            if await self._subscription.wait(min(left, self._clock_seconds)):
                break
            if next_at is not None and await self._has_come(next_at):
                break
        self._subscription.changed.clear()

    async def listen(self) -> None:
        """Calls at every change of a rental or request, until cancelled; does nothing without a WebSocket URL."""
        await self._subscription.run()

    async def _subscribe(self, socket: SolanaWsClient) -> None:
        for kind in (Rental, Request):
            filters = account_filters(kind, {})
            await subscribe_to_accounts(socket, self._reader.program_id, filters, self._reader.commitment)

    async def _has_come(self, moment: float) -> bool:
        try:
            return await self._reader.now() >= moment
        except GpuMarketError as error:
            log.warning("clock_read_failed", error=error.message)
            return False
