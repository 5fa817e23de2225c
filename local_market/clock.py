"""Follows the cluster's clock and reports jumps."""

from __future__ import annotations

import asyncio
import time

import structlog
from solana.rpc.websocket_api import SolanaWsClient

from anchor_client.errors import GpuMarketError
from anchor_client.service.pacing import RETRY_SECONDS
from anchor_client.solana.pubsub import Subscription
from anchor_client.solana.rpc import Reader

JUMP_SECONDS = 5

log = structlog.get_logger(__name__)


class ClusterClock:
    """Reads the Clock sysvar at every slot; a jump that elapsed time does not explain wakes the waiters."""

    def __init__(self, reader: Reader, ws_url: str) -> None:
        self._reader = reader
        self._slots = Subscription(ws_url, SolanaWsClient.slot_subscribe)
        self._waiting: list[asyncio.Event] = []
        self._last: tuple[int, float] | None = None

    def wake_at_jumps(self, event: asyncio.Event) -> None:
        """Sets `event` whenever the clock has jumped."""
        self._waiting.append(event)

    async def run(self) -> None:
        """Runs until cancelled; without a subscription the clock is read once a second."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._slots.run())
            while True:
                await self._slots.wait(RETRY_SECONDS)
                try:
                    await self._observe()
                except GpuMarketError as error:
                    log.warning("clock_read_failed", error=error.message)
                    await asyncio.sleep(RETRY_SECONDS)

    async def _observe(self) -> None:
        unix = await self._reader.now()
        monotonic = time.monotonic()
        last = self._last
        self._last = (unix, monotonic)
        if last is None:
            return
        unexplained = (unix - last[0]) - (monotonic - last[1])
        if unexplained > JUMP_SECONDS:
            log.debug("clock_jumped", seconds=round(unexplained))
            for event in self._waiting:
                event.set()
