"""Quotas as the client tells them are those that the program enforces."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import RenterProfile
from anchor_client.generated.constants import MAX_REGION_RENTALS
from anchor_client.rules.catalog import REGIONS
from anchor_client.rules.renter_profile import quota_of

PARIS = 3


@dataclass(frozen=True, slots=True)
class Terms:
    quota_base: int = 4
    quota_region_base: int = 2
    quota_stake_step: int = 1_000
    quota_spend_step: int = 500


def profile(*, active: int = 0, in_paris: int = 0, spent: int = 0) -> RenterProfile:
    counters = bytes(in_paris if region == PARIS else 0 for region in range(64))
    return RenterProfile(
        version=1,
        bump=255,
        reserved_flags=bytes(6),
        wallet=Pubkey.default(),
        stake=Pubkey.default(),
        next_nonce=0,
        spent_usd=spent,
        reported_usd=0,
        active_rentals=active,
        completed_rentals=0,
        region_rentals=counters,
    )


@pytest.mark.parametrize(
    ("stake", "spent", "more"),
    [(0, 0, 0), (999, 499, 0), (1_000, 0, 1), (0, 500, 1), (1_999, 999, 2), (2_000, 1_000, 4)],
)
def test_quota_of__stake_and_spend__one_more_for_every_step(stake: int, spent: int, more: int) -> None:
    quota = quota_of(Terms(), profile(spent=spent), stake)
    assert (quota.limit, quota.region_limit, quota.by_stake + quota.by_spend) == (4 + more, 2 + more, more)


@pytest.mark.parametrize(("active", "in_paris", "fits"), [(3, 1, True), (4, 1, False), (3, 2, False), (0, 0, True)])
def test_quota_of__one_more__must_fit_wallet_and_region(active: int, in_paris: int, fits: bool) -> None:
    assert quota_of(Terms(), profile(active=active, in_paris=in_paris)).allows(PARIS) is fits


def test_quota_of__steps_of_zero__give_nothing() -> None:
    quota = quota_of(Terms(quota_stake_step=0, quota_spend_step=0), profile(spent=10**9), 10**9)
    assert (quota.limit, quota.region_limit) == (4, 2)


def test_quota_of__large_stake__region_stays_within_its_counter() -> None:
    assert quota_of(Terms(), profile(), 10**9).region_limit == MAX_REGION_RENTALS


def test_quota_of__wallet_that_never_rented__has_the_base() -> None:
    quota = quota_of(Terms(), None)
    assert (quota.limit, quota.used, quota.spent_usd) == (4, 0, 0)
    assert quota.region_used == {region.id: 0 for region in REGIONS}
