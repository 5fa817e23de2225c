"""Storage of the limits' counts: this process, or Redis for several."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from indexer.errors import LimitsUnusable

if TYPE_CHECKING:
    from redis.asyncio import Redis

REDIS_SECONDS = 1.0
"""Timeout of a call to Redis."""
MOST_KEYS = 10_000
"""After which counts that have ended are forgotten."""
NAMESPACE = "gpu-market"


class Count(NamedTuple):
    """Requests in a window, and the seconds until it ends."""

    requests: int
    left: float


class CountLost(Exception):
    """The storage does not answer."""


class Storage(Protocol):
    """Counts requests by key."""

    async def add(self, keys: Sequence[str], requests: int, seconds: int) -> list[Count]:
        """Adds requests to the window of each key, or takes them back; a new one lasts `seconds`. CountLost."""


class MemoryStorage:
    """Counts in this process."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._counts: dict[str, tuple[int, float]] = {}
        self._forget_at = MOST_KEYS

    async def add(self, keys: Sequence[str], requests: int, seconds: int) -> list[Count]:
        now = self._now()
        return [self._add(key, requests, seconds, now) for key in keys]

    def _add(self, key: str, requests: int, seconds: int, now: float) -> Count:
        count, ends = self._counts.get(key, (0, 0.0))
        if ends <= now:
            self._forget(now)
            count = 0
            ends = now + seconds
        self._counts[key] = count + requests, ends
        return Count(count + requests, ends - now)

    def _forget(self, now: float) -> None:
        if len(self._counts) >= self._forget_at:
            self._counts = {key: each for key, each in self._counts.items() if each[1] > now}
            # Twice as many: under a flood of addresses all are gone through ever more rarely.
            self._forget_at = max(MOST_KEYS, 2 * len(self._counts))


class RedisStorage:
    """Counts in Redis, in one round trip."""

    def __init__(self, redis: Redis, failures: type[Exception]) -> None:
        self._redis = redis
        self._failures = failures

    async def add(self, keys: Sequence[str], requests: int, seconds: int) -> list[Count]:
        try:
            async with self._redis.pipeline(transaction=True) as asked:
                for key in keys:
                    named = f"{NAMESPACE}/{key}"
                    # Made with its end first: a count that INCRBY makes would stay for ever.
                    asked.set(named, 0, ex=seconds, nx=True)
                    asked.incrby(named, requests)
                    asked.pttl(named)
                told = await asked.execute()
        except self._failures as error:
            raise CountLost(str(error)) from error
        return [Count(count, left / 1000) for count, left in zip(told[1::3], told[2::3], strict=True)]


@asynccontextmanager
async def counting(url: str | None) -> AsyncIterator[Storage]:
    """Redis at a URL, or this process without one. LimitsUnusable."""
    if url is None:
        yield MemoryStorage()
        return
    try:
        from redis import RedisError  # noqa: PLC0415 - an extra
        from redis.asyncio import ConnectionPool, Redis  # noqa: PLC0415

        pool = ConnectionPool.from_url(url, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS)
    except (ImportError, ValueError) as error:
        raise LimitsUnusable(type(error).__name__) from error
    try:
        yield RedisStorage(Redis(connection_pool=pool), RedisError)
    finally:
        await pool.aclose()
