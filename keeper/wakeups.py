"""What wakes a waiting keeper: the cluster's clock, a changed rental or request, a settled transaction, or time."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import structlog
from solana.rpc.jsonrpc import SolanaJsonRpcError
from solana.rpc.models import MemcmpOpts
from websockets.exceptions import WebSocketException

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Rental, Request
from anchor_client.pubsub import subscriber
from anchor_client.rpc import Reader
from anchor_idl import base58

log = structlog.get_logger(__name__)

RECONNECT_SECONDS: Final = 2.0


class Wakeups:
    """Waits on behalf of one keeper."""

    def __init__(self, reader: Reader, ws_url: str | None, *, clock_seconds: float, max_seconds: float) -> None:
        self._reader = reader
        self._ws_url = ws_url
        self._clock_seconds = clock_seconds
        self._max_seconds = max_seconds
        self._called = asyncio.Event()

    def call(self) -> None:
        """Wakes the keeper, now or at its next wait."""
        self._called.set()

    async def wait(self, next_at: float | None) -> None:
        """Returns once called, once the cluster's clock shows `next_at`, or after the longest wait."""
        deadline = time.monotonic() + self._max_seconds
        while (left := deadline - time.monotonic()) > 0:
            if await self._call_within(min(left, self._clock_seconds)):
                break
            if next_at is not None and await self._has_come(next_at):
                break
        self._called.clear()

    async def listen(self) -> None:
        """Calls at every change of a rental or request, until cancelled; does nothing without a PubSub URL."""
        while self._ws_url is not None:
            try:
                await self._follow(self._ws_url)
            except (WebSocketException, SolanaJsonRpcError, OSError) as error:
                log.warning("subscription_lost", url=self._ws_url, error=str(error))
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _follow(self, url: str) -> None:
        async with subscriber(url) as socket:
            for kind in (Rental, Request):
                filters: list[int | MemcmpOpts] = [
                    kind.SIZE,
                    MemcmpOpts(offset=0, bytes=base58.encode(kind.DISCRIMINATOR)),
                ]
                await socket.program_subscribe(
                    program_id=self._reader.program_id,
                    commitment=self._reader.commitment,
                    encoding="base64",
                    filters=filters,
                )
            async for _ in socket:
                self.call()

    async def _call_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._called.wait()
        except TimeoutError:
            return False
        return True

    async def _has_come(self, moment: float) -> bool:
        try:
            return await self._reader.now() >= moment
        except GpuMarketError as error:
            log.warning("clock_unread", error=error.message)
            return False
