"""Takes requests from limits, and tells of them in headers of the IETF's draft "RateLimit header fields for HTTP"."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import structlog
from limits.aio.storage import Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from starlette.datastructures import MutableHeaders

from indexer.api.errors import ApiError
from indexer.api.limits.policies import Policy

POLICY_HEADER, QUOTA_HEADER = "RateLimit-Policy", "RateLimit"

log = structlog.get_logger(__name__)


class Quota(NamedTuple):
    """What is left of a limit for whoever asks; `resets` in seconds."""

    policy: Policy
    left: int
    resets: int
    is_kept: bool

    def __str__(self) -> str:
        """As RateLimit has it."""
        return f'"{self.policy.name}";r={self.left};t={self.resets}'

    def refusal(self) -> ApiError:
        """What who has none left is told."""
        detail = (
            f"More than {self.policy.item.amount} requests in {self.policy.item.get_expiry()} s ({self.policy.name})."
        )
        remedy = f"Try again in {self.resets} s; a wallet that signs in may ask more often."
        return ApiError(429, "too_many_requests", detail, remedy, retry_after=self.resets)


class Limiter:
    """Counts by policy and key; while its storage fails, nobody is refused."""

    def __init__(self, storage: Storage) -> None:
        self._windows = FixedWindowRateLimiter(storage)

    async def take(self, policy: Policy, key: str, cost: int = 1) -> Quota | None:
        """Takes one request, or so many; None if it cannot be counted."""
        try:
            is_kept = await self._windows.hit(policy.item, key, cost=cost)
            resets_at, left = await self._windows.get_window_stats(policy.item, key)
        except StorageError as error:
            log.warning("requests cannot be counted", error=str(error.storage_error))
            return None
        return Quota(policy, left, max(1, math.ceil(resets_at - time.time())), is_kept)


def tell(headers: MutableHeaders, quotas: Sequence[Quota]) -> None:
    """Says in an answer what is left."""
    if quotas:
        headers[POLICY_HEADER] = ", ".join(str(quota.policy) for quota in quotas)
        headers[QUOTA_HEADER] = ", ".join(str(quota) for quota in quotas)
