"""One node: how it does, what it was asked, and when it may be asked again."""

from __future__ import annotations

import asyncio
import logging
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar
from urllib.parse import urlsplit

from anchor_client.service.backoff import Backoff
from anchor_client.service.errors import GpuMarketError
from anchor_client.service.redaction import Endpoint
from anchor_client.solana.errors import RateLimited, UnreadableAnswer
from anchor_client.solana.http.answer import HttpAnswer, HttpFailure
from anchor_client.solana.json_rpc.limits import TokenBucket
from anchor_client.solana.json_rpc.refusals import kind_of, may_differ, require_success, transport_error

SLOWEST: Final = 6
"""Time-outs after which an answer that still trickles in is given up."""
LONGEST_REST: Final = 300.0
"""Seconds that a node is left alone at most, whatever its Retry-After says."""
DOUBT: Final = Backoff(first=1.0, most=60.0)
"""Seconds that others go before a node that has failed."""
BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SAMPLES: Final = 64
ENOUGH_SAMPLES: Final = 8
SLOW_AT_FIRST: Final = 1.0
QUICKEST: Final = 0.05

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Link(Protocol):
    """The way to a node, as HttpClient is one: `post` raises HttpFailure."""

    async def post(self, body: bytes) -> HttpAnswer: ...
    async def close(self) -> None: ...


@dataclass(slots=True)
class Counts:
    """Calls of a node and their outcomes; `buckets` counts answers by BUCKETS, slower ones in the last."""

    requests: int = 0
    hedges: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0.0

    def answered(self, seconds: float) -> None:
        """One more answer."""
        self.buckets[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


class NodeEndpoint:
    """A node at a URL. `timeout` seconds for each part of an answer, `rate` calls a second."""

    def __init__(self, url: str, link: Link, *, timeout: float, rate: float | None, waits: Backoff) -> None:
        self.endpoint = Endpoint(url)
        self.counts = Counts()
        self.slot: int | None = None
        """Slot that it reported at the last vote."""
        self.lag: int = 0
        """Slots behind the others at the last vote."""
        self.takes_batches = True
        self._link = link
        self._timeout = timeout
        self._bucket = TokenBucket(rate)
        self._waits = waits
        self._failures = 0
        self._rests_until = self._doubted_until = 0.0
        self._latencies: dict[str, deque[float]] = {}

    @property
    def host(self) -> str:
        """Its name and port alone, for labels."""
        try:
            parts = urlsplit(self.endpoint.url)
            return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
        except ValueError:
            return "invalid"

    @property
    def rest_left(self) -> float:
        """Seconds for which it has asked to be left alone."""
        return max(0.0, self._rests_until - time.monotonic())

    @property
    def is_doubted(self) -> bool:
        """True for a while after it has failed."""
        return self._doubted_until > time.monotonic()

    @property
    def queue_seconds(self) -> float:
        """Seconds that a call would wait for its turn."""
        return self._bucket.seconds_left()

    def slow_after(self, method: str) -> float:
        """Seconds after which an answer to a method is slower than nineteen of twenty."""
        known = self._latencies.get(method, ())
        if len(known) < ENOUGH_SAMPLES:
            return SLOW_AT_FIRST
        return max(QUICKEST, sorted(known)[len(known) * 19 // 20])

    async def ask(self, method: str, body: bytes, read: Callable[[str], T], *, calls: int = 1) -> T:
        """Returns what `read` makes of the answer. Raises the named errors; waits for its turn but not for its rest."""
        await self._bucket.take(calls)
        self.counts.requests += calls
        began = time.monotonic()
        try:
            result = await self._once(method, body, read)
        except GpuMarketError as error:
            self.failed(error)
            self._log(method, began, kind_of(error))
            raise
        self._succeeded(method, time.monotonic() - began)
        self._log(method, began, "ok")
        return result

    def hedged(self) -> None:
        """Counts a call that is made because another is slow."""
        self.counts.hedges += 1

    def failed(self, error: GpuMarketError) -> None:
        """Counts a failure; what another node may do better makes the others go first."""
        self.counts.errors[kind_of(error)] += 1
        # Any node would have refused that: it says nothing about this one.
        if not may_differ(error):
            return
        self._failures += 1
        now = time.monotonic()
        self._doubted_until = now + DOUBT.wait(self._failures)
        if isinstance(error, RateLimited):
            if error.retry_after is None:
                rest = self._waits.spread(self._failures)
            else:
                rest = error.retry_after
            self._rests_until = max(self._rests_until, now + min(rest, LONGEST_REST))

    async def close(self) -> None:
        """Ends the connections."""
        await self._link.close()

    def _succeeded(self, method: str, seconds: float) -> None:
        self._failures = 0
        self._doubted_until = 0.0
        self.counts.answered(seconds)
        self._latencies.setdefault(method, deque(maxlen=SAMPLES)).append(seconds)

    def _log(self, method: str, began: float, outcome: str) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            told = {"method": method, "node": self.host, "seconds": round(time.monotonic() - began, 6)}
            _log.debug("node called", extra={**told, "outcome": outcome})

    async def _once(self, method: str, body: bytes, read: Callable[[str], T]) -> T:
        try:
            # The link's own timeout is for each part of an answer, of which a slow node may send many.
            async with asyncio.timeout(SLOWEST * self._timeout):
                answer = await self._link.post(body)
        except (HttpFailure, TimeoutError) as error:
            raise transport_error(self.endpoint, error) from error
        require_success(self.endpoint, answer)
        try:
            return read(answer.text)
        except ValueError as error:
            raise UnreadableAnswer(f"{self.endpoint} returned an invalid response to {method}: {error}") from error
