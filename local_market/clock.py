"""Follows the cluster's clock, and says when it has jumped."""

from __future__ import annotations

import asyncio
import time

import structlog
from websockets.exceptions import WebSocketException

from anchor_client.errors import GpuMarketError
from anchor_client.pubsub import subscriber
from anchor_client.rpc import Reader

JUMP_SECONDS = 5
RECONNECT_SECONDS = 1.0

log = structlog.get_logger(__name__)


class ClusterClock:
    """Reads the Clock sysvar at every slot; a step that real time does not explain wakes whoever waits for it."""

    def __init__(self, reader: Reader, ws_url: str) -> None:
        self._reader = reader
        self._ws_url = ws_url
        self._waiting: list[asyncio.Event] = []
        self._last: tuple[int, float] | None = None

    def wake_at_jumps(self, event: asyncio.Event) -> None:
        """Sets `event` whenever the clock has jumped."""
        self._waiting.append(event)

    async def run(self) -> None:
        """Runs until cancelled; a lost connection is opened again."""
        while True:
            try:
                await self._follow()
            except (GpuMarketError, WebSocketException, OSError) as error:
                log.warning("clock_connection_lost", error=str(error))
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _follow(self) -> None:
        async with subscriber(self._ws_url) as socket:
            await socket.slot_subscribe()
            await self._observe()
            async for _ in socket:
                await self._observe()

    async def _observe(self) -> None:
        unix, monotonic = await self._reader.now(), time.monotonic()
        last, self._last = self._last, (unix, monotonic)
        if last is None:
            return
        unexplained = (unix - last[0]) - (monotonic - last[1])
        if unexplained > JUMP_SECONDS:
            log.debug("clock_jumped", seconds=round(unexplained))
            for event in self._waiting:
                event.set()
