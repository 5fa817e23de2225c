"""A subscription that says when to look at the chain; what it says is never used for anything else."""

from __future__ import annotations

import asyncio
import json

import structlog
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from indexer.metrics import SOURCE_FAILURES

FIRST_BACKOFF_SECONDS = 0.5
LAST_BACKOFF_SECONDS = 30.0
CLOSE_SECONDS = 1.0

log = structlog.get_logger(__name__)


class WakeUp:
    """Set whenever the program has been used, and whenever the subscription begins anew."""

    def __init__(self, url: str, program: str, commitment: str) -> None:
        self._url = url
        self._request = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "logsSubscribe",
                "params": [{"mentions": [program]}, {"commitment": commitment}],
            }
        )
        self._woken = asyncio.Event()

    async def run(self) -> None:
        """Subscribes, and again after every loss, until cancelled."""
        backoff = FIRST_BACKOFF_SECONDS
        while True:
            try:
                async with connect(self._url, max_size=None, close_timeout=CLOSE_SECONDS) as socket:
                    await socket.send(self._request)
                    async for _ in socket:
                        backoff = FIRST_BACKOFF_SECONDS
                        self._woken.set()
            except (OSError, WebSocketException) as error:
                log.warning("subscription lost", url=self._url, error=repr(error), retry_in=backoff)
            SOURCE_FAILURES.labels("subscription").inc()
            await asyncio.sleep(backoff)
            backoff = min(backoff * 2, LAST_BACKOFF_SECONDS)

    def wake(self) -> None:
        """Wakes whoever waits."""
        self._woken.set()

    async def wait(self, longest: float) -> None:
        """Until woken, at most `longest` seconds."""
        try:
            async with asyncio.timeout(longest):
                await self._woken.wait()
        except TimeoutError:
            return
        finally:
            self._woken.clear()
