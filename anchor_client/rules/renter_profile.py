"""Quotas of a wallet's concurrent rentals: twin of `programs/gpu_market/src/state/renter_profile.rs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anchor_client.generated.constants import FIRST_NONCE_SLOTS, MAX_REGION_RENTALS, NONCES_PER_SLOT
from anchor_client.rules.catalog import REGIONS

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Market, RenterProfile


@dataclass(frozen=True, slots=True)
class Quota:
    """A wallet's limits on concurrent rentals, and their use. `stake` is active base units, `spent_usd` micro-USD."""

    limit: int
    used: int
    region_limit: int
    region_used: Mapping[int, int]
    """Rentals by the region's number; regions of the catalog and those with rentals."""
    stake: int
    spent_usd: int
    by_stake: int
    by_spend: int

    def allows(self, region: int) -> bool:
        """True where one more rental in a region is within both quotas."""
        return self.used < self.limit and self.region_used.get(region, 0) < self.region_limit


def first_nonce(slot: int) -> int:
    """The first nonce of a profile that is registered soon after `slot`: the program takes it for ten minutes, once it
    is no longer ahead of the time by more than that and until its slot has passed."""
    return (slot + FIRST_NONCE_SLOTS // 2) * NONCES_PER_SLOT


def quota_of(market: Market, profile: RenterProfile | None, stake: int = 0) -> Quota:
    """The quotas of a wallet; `profile` is None before it first rents, `stake` its active stake."""
    spent = 0 if profile is None else profile.spent_usd
    by_stake = stake // market.quota_stake_step if market.quota_stake_step else 0
    by_spend = spent // market.quota_spend_step if market.quota_spend_step else 0
    counters = b"" if profile is None else bytes(profile.region_rentals)
    used = {number: count for number, count in enumerate(counters) if count}
    return Quota(
        limit=market.quota_base + by_stake + by_spend,
        used=0 if profile is None else profile.active_rentals,
        region_limit=min(market.quota_region_base + by_stake + by_spend, MAX_REGION_RENTALS),
        region_used={region.id: 0 for region in REGIONS} | used,
        stake=stake,
        spent_usd=spent,
        by_stake=by_stake,
        by_spend=by_spend,
    )
