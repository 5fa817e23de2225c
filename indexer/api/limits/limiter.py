"""Counts requests against limits, reported in headers of the IETF's draft "RateLimit header fields for HTTP"."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog

from indexer.api.errors import ApiError
from indexer.api.limits.policies import Policy
from indexer.api.limits.storage import CountLost, Storage

POLICY_HEADER = "RateLimit-Policy"
QUOTA_HEADER = "RateLimit"

TOLD_SECONDS = 60.0
"""Between two lines about requests that cannot be counted."""

log = structlog.get_logger(__name__)


class CallerQuota(NamedTuple):
    """Remaining quota of a caller; `resets` in seconds."""

    policy: Policy
    left: int
    resets: int
    is_kept: bool

    def __str__(self) -> str:
        """As RateLimit has it."""
        return f'"{self.policy.name}";r={self.left};t={self.resets}'

    def refusal(self) -> ApiError:
        """The 429 response to a caller with nothing left."""
        detail = f"More than {self.policy.requests} requests in {self.policy.seconds} s ({self.policy.name})."
        remedy = f"Try again in {self.resets} s; a signed-in wallet that rents, hosts or stakes has a limit of its own."
        return ApiError(429, "too_many_requests", detail, remedy, retry_after=self.resets)


class Limiter:
    """Counts by policy and key; while its storage fails, nobody is refused."""

    def __init__(self, storage: Storage, *, now: Callable[[], float] = time.monotonic) -> None:
        self._storage = storage
        self._now = now
        self._tells_at = -math.inf
        self._uncounted = 0

    async def take(self, policy: Policy, key: str, cost: int = 1) -> CallerQuota | None:
        """Takes one request, or several, from a window of fixed length; None if it cannot be counted."""
        quotas = await self.take_all([(policy, key)], cost)
        return quotas[0] if quotas else None

    async def take_all(self, limits: Sequence[tuple[Policy, str]], cost: int = 1) -> list[CallerQuota]:
        """Takes it from several of the same window together, the narrowest first; empty if it cannot be counted. What
        one of them refuses counts for none of the wider ones, or a client that is refused would use up its network's.
        """
        keys = [f"{policy.name}/{key}" for policy, key in limits]
        try:
            counts = await self._storage.add(keys, cost, limits[0][0].seconds)
            refused = [count.requests > policy.requests for (policy, _), count in zip(limits, counts, strict=True)]
            if True in refused and (wider := keys[refused.index(True) + 1 :]):
                await self._storage.add(wider, -cost, limits[0][0].seconds)
        except CountLost as error:
            self._tell(str(error))
            return []
        return [
            CallerQuota(
                policy,
                max(0, policy.requests - count.requests),
                max(1, math.ceil(count.left)),
                count.requests <= policy.requests,
            )
            for (policy, _), count in zip(limits, counts, strict=True)
        ]

    def _tell(self, error: str) -> None:
        """Logs that nothing is counted, once in a while: each request would have a line."""
        self._uncounted += 1
        now = self._now()
        if now < self._tells_at:
            return
        self._tells_at = now + TOLD_SECONDS
        log.warning("requests cannot be counted", error=error, requests=self._uncounted)
        self._uncounted = 0


def told(quotas: Sequence[CallerQuota]) -> Sequence[tuple[bytes, bytes]]:
    """The headers that say in an answer what is left."""
    if not quotas:
        return ()
    return (
        (POLICY_HEADER.lower().encode(), ", ".join([str(quota.policy) for quota in quotas]).encode()),
        (QUOTA_HEADER.lower().encode(), ", ".join([str(quota) for quota in quotas]).encode()),
    )
