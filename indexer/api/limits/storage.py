"""Where the counts of limits are kept: in this process, or in Redis for several."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from limits.aio.storage import RedisStorage, Storage

from indexer.errors import LimitsUnusable

REDIS_SECONDS = 1.0
"""How long it may take to answer."""
MOST_KEYS = 10_000
"""After which counts that have ended are forgotten."""


class MemoryStorage(Storage):
    """Counts in this process. `limits` has one too, which looks at all of its counts at each request."""

    STORAGE_SCHEME = None

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._now = now
        self._counts: dict[str, tuple[int, float]] = {}
        self._forget_at = MOST_KEYS

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    async def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """The count once there are `amount` more; a new one ends after `expiry` seconds."""
        now = self._now()
        count, ends = self._counts.get(key, (0, 0.0))
        if ends <= now:
            self._forget(now)
            count, ends = 0, now + expiry
        self._counts[key] = count + amount, ends
        return count + amount

    async def get(self, key: str) -> int:
        """The count; 0 once it has ended."""
        count, ends = self._counts.get(key, (0, 0.0))
        return count if ends > self._now() else 0

    async def get_expiry(self, key: str) -> float:
        """When the count ends."""
        return self._counts.get(key, (0, self._now()))[1]

    async def check(self) -> bool:
        return True

    async def reset(self) -> int | None:
        forgotten = len(self._counts)
        self._counts.clear()
        return forgotten

    async def clear(self, key: str) -> None:
        self._counts.pop(key, None)

    def _forget(self, now: float) -> None:
        if len(self._counts) >= self._forget_at:
            self._counts = {key: each for key, each in self._counts.items() if each[1] > now}
            self._forget_at = max(MOST_KEYS, 2 * len(self._counts))


@asynccontextmanager
async def counting(url: str | None) -> AsyncIterator[Storage]:
    """Redis at a URL, or this process without one. LimitsUnusable."""
    if url is None:
        yield MemoryStorage()
        return
    try:
        from redis.asyncio import ConnectionPool  # noqa: PLC0415 - an extra

        pool = ConnectionPool.from_url(url, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS)
    except (ImportError, ValueError) as error:
        raise LimitsUnusable(type(error).__name__) from error
    options: dict[str, Any] = {"implementation": "redispy", "connection_pool": pool}
    try:
        yield RedisStorage(f"async+{url}", wrap_exceptions=True, **options)
    finally:
        await pool.aclose()
