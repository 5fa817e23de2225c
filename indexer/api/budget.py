"""How often clients may make the API ask its node."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from indexer.api.errors import ApiError

BURST_SECONDS = 10
"""What is not used of a rate is saved up for so long."""
MAX_CLIENTS = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class NodeBudget:
    """Requests a second, of each client and of all together. `now` gives seconds."""

    def __init__(self, per_client: float, overall: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._per_client = per_client
        self._overall = overall
        self._now = now
        self._all = _Bucket(overall * BURST_SECONDS, now())
        self._clients: dict[str, _Bucket] = {}

    def take(self, client: str) -> None:
        """Lets a request of a client pass, or refuses it: ApiError 429 with Retry-After."""
        now = self._now()
        if len(self._clients) >= MAX_CLIENTS and client not in self._clients:
            self._clients = {name: bucket for name, bucket in self._clients.items() if now - bucket.at < BURST_SECONDS}
        bucket = self._clients.setdefault(client, _Bucket(self._per_client * BURST_SECONDS, now))
        waits = [_refilled(bucket, self._per_client, now), _refilled(self._all, self._overall, now)]
        if max(waits) > 0:
            seconds = math.ceil(max(waits))
            detail = "Too many requests that this API has to ask its node about."
            raise ApiError(429, "too_many_requests", detail, f"Try again in {seconds} s.", retry_after=seconds)
        bucket.left -= 1
        self._all.left -= 1


def _refilled(bucket: _Bucket, rate: float, now: float) -> float:
    """Seconds until the bucket has one for another request."""
    bucket.left = min(bucket.left + (now - bucket.at) * rate, max(rate * BURST_SECONDS, 1))
    bucket.at = now
    return max(0.0, (1 - bucket.left) / rate)
