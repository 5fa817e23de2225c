"""Wakes an idle keeper: by the cluster's clock, a changed rental or request, a settled transaction, or a timeout."""

from __future__ import annotations

import time

import structlog
from solana.rpc.websocket_api import SolanaWsClient

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Rental, Request
from anchor_client.solana.pubsub import SILENCE_SECONDS, Subscription, subscribe_to_accounts
from anchor_client.solana.rpc import Reader, account_filters
from keeper.settings import KeeperSettings

log = structlog.get_logger(__name__)


class Wakeups:
    """The wake-ups of one keeper."""

    def __init__(self, reader: Reader, settings: KeeperSettings) -> None:
        self._reader = reader
        self._settings = settings
        self._subscription = Subscription(settings.ws_url, self._subscribe, silence_seconds=SILENCE_SECONDS)

    def call(self) -> None:
        """Wakes the keeper, now or at its next wait."""
        self._subscription.changed.set()

    async def wait(self, next_at: float | None, *, soon: bool = False) -> bool:
        """Waits for a call, for the cluster's clock to reach `next_at`, or for the longest wait.

        Returns True if it was called. `soon` is for a failed pass, or one that may have missed the latest changes: it
        limits the wait to that without a subscription.
        """
        began = time.monotonic()
        until_clock = self._settings.clock_seconds
        was_called = False
        while (left := began + self._longest(soon) - time.monotonic()) > 0:
            if was_called := await self._subscription.wait(min(left, until_clock)):
                break
            if next_at is not None:
                remaining = await self._remaining(next_at)
                if remaining <= 0:
                    break
                until_clock = min(max(remaining / 10, self._settings.clock_seconds), self._settings.idle_clock_seconds)
        self._subscription.changed.clear()
        return was_called

    async def listen(self) -> None:
        """Wakes at every change of a rental or request, until cancelled; does nothing without a WebSocket URL."""
        await self._subscription.run()

    async def _subscribe(self, socket: SolanaWsClient) -> None:
        for kind in (Rental, Request):
            filters = account_filters(kind, {})
            await subscribe_to_accounts(socket, self._reader.program_id, filters, self._reader.commitment)

    def _longest(self, soon: bool) -> float:
        is_idle = self._subscription.is_live and not soon
        if is_idle:
            return self._settings.idle_interval_seconds
        return self._settings.max_interval_seconds

    async def _remaining(self, moment: float) -> float:
        """Seconds until the cluster's clock says `moment`; a little when it cannot be read."""
        try:
            return moment - await self._reader.now()
        except GpuMarketError as error:
            log.warning("clock_read_failed", error=error.message)
            return self._settings.clock_seconds
