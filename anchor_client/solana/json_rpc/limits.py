"""Calls a second."""

from __future__ import annotations

import asyncio
import time


class TokenBucket:
    """Lets `rate` calls a second through, and a burst of as many after a pause; None lets all through."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._most = max(1.0, rate or 0)
        self._tokens = self._most
        self._at = time.monotonic()

    def seconds_left(self) -> float:
        """Seconds that a call would have to wait."""
        if self._rate is None:
            return 0.0
        self._fill(self._rate)
        return max(0.0, 1 - self._tokens) / self._rate

    async def take(self, calls: int = 1) -> None:
        """Waits until the calls may be made; later callers wait longer."""
        if self._rate is None:
            return
        self._fill(self._rate)
        self._tokens -= calls
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / self._rate)

    def _fill(self, rate: float) -> None:
        now = time.monotonic()
        self._tokens = min(self._most, self._tokens + (now - self._at) * rate)
        self._at = now
