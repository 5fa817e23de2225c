"""Rentals at a time, per wallet and per region: a base that grows with stake and with what has been spent.

Invariant RNT-11.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.pdas import find_renter_profile
from anchor_client.generated.types.market_parameter import MarketParameter
from tests.markets.spec import SPEC

from .harness.actors import LISTING, LISTINGS, RENTER, RIVAL_LISTING, TENANT
from .harness.changes import respecify, set_parameter
from .harness.endings import ENDINGS, Ending
from .harness.flows import opened, requested
from .harness.governance import put_stake
from .harness.outcome import expect
from .harness.world import World

REGION, ELSEWHERE = SPEC.region, 9
STEP = 1_000
P = MarketParameter


def limit(world: World, *, wallet: int, region: int) -> None:
    world.act(set_parameter(P.QUOTA_BASE, wallet), set_parameter(P.QUOTA_REGION_BASE, region))


def in_region(world: World, region: int = REGION) -> int:
    return world.profile().region_rentals[region]


def test_quotas__wallet_at_its_quota__is_refused_one_more(world: World) -> None:
    limit(world, wallet=2, region=250)
    first = opened(world, listing=LISTINGS[0])
    opened(world, listing=LISTINGS[1])
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[2]))
    opened(world, TENANT, listing=LISTINGS[3])
    world.act(world.stop_rental(first))
    opened(world, listing=LISTINGS[2])


def test_quotas__wallet_at_its_quota__finds_no_machine_either(world: World) -> None:
    limit(world, wallet=1, region=250)
    first, second = requested(world), requested(world)
    world.act(world.match_request(first))
    with expect(errors.QuotaExceeded):
        world.act(world.match_request(second, LISTINGS[1]))


def test_quotas__region_at_its_quota__leaves_the_others_open(world: World) -> None:
    limit(world, wallet=10, region=1)
    world.act(respecify(LISTINGS[2], region=ELSEWHERE), respecify(LISTINGS[3], region=ELSEWHERE))
    request = requested(world)
    opened(world, listing=LISTINGS[0])
    with expect(errors.RegionQuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1]))
    with expect(errors.RegionQuotaExceeded):
        world.act(world.match_request(request, LISTINGS[1]))
    opened(world, listing=LISTINGS[2])
    with expect(errors.RegionQuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[3]))
    assert (in_region(world), in_region(world, ELSEWHERE)) == (1, 1)


@pytest.mark.parametrize(("stake", "more"), [(0, 0), (STEP - 1, 0), (STEP, 1), (2 * STEP - 1, 1), (2 * STEP, 2)])
def test_quotas__stake__gives_one_more_for_every_step(world: World, stake: int, more: int) -> None:
    limit(world, wallet=1, region=1)
    world.act(set_parameter(P.QUOTA_STAKE_STEP, STEP), set_parameter(P.QUOTA_SPEND_STEP, 0))
    put_stake(world, RENTER, stake)
    for listing in LISTINGS[: 1 + more]:
        world.act(world.open_rental(listing=listing))
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1 + more]))


@pytest.mark.parametrize(("spent", "more"), [(0, 0), (STEP - 1, 0), (STEP, 1), (2 * STEP - 1, 1), (2 * STEP, 2)])
def test_quotas__lifetime_spend__gives_one_more_for_every_step(world: World, spent: int, more: int) -> None:
    limit(world, wallet=1, region=1)
    world.act(set_parameter(P.QUOTA_SPEND_STEP, STEP), set_parameter(P.QUOTA_STAKE_STEP, 0))
    world.rewrite(find_renter_profile(RENTER)[0], replace(world.profile(), spent_usd=spent))
    for listing in LISTINGS[: 1 + more]:
        world.act(world.open_rental(listing=listing))
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1 + more]))


def test_quotas__steps_of_zero__give_nothing(world: World) -> None:
    limit(world, wallet=1, region=1)
    world.act(set_parameter(P.QUOTA_SPEND_STEP, 0), set_parameter(P.QUOTA_STAKE_STEP, 0))
    world.rewrite(find_renter_profile(RENTER)[0], replace(world.profile(), spent_usd=2**64 - 1))
    put_stake(world, RENTER, 2**64 - 1)
    world.act(world.open_rental())
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1]))


@pytest.mark.parametrize(("held", "fits"), [(249, True), (250, False)])
def test_quotas__region__never_passes_what_its_counter_holds(world: World, held: int, fits: bool) -> None:
    world.act(set_parameter(P.QUOTA_STAKE_STEP, 1))
    put_stake(world, RENTER, 2**64 - 1)
    counters = bytes(held if region == REGION else 0 for region in range(64))
    world.rewrite(
        find_renter_profile(RENTER)[0], replace(world.profile(), active_rentals=held, region_rentals=counters)
    )
    if fits:
        world.act(world.open_rental())
        return
    with expect(errors.RegionQuotaExceeded):
        world.act(world.open_rental())


@pytest.mark.parametrize("ending", ENDINGS, ids=str)
def test_quotas__every_ending__gives_the_place_back(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    assert (world.profile().active_rentals, in_region(world)) == (1, 1)
    world.act(ending.act(world, rental))
    assert (world.profile().active_rentals, in_region(world)) == (0, 0)


def test_quotas__request__takes_its_place_when_it_is_matched(world: World) -> None:
    request = requested(world)
    assert (world.profile().active_rentals, in_region(world)) == (0, 0)
    world.act(world.match_request(request))
    assert (world.profile().active_rentals, in_region(world)) == (1, 1)


def test_quotas__region_of_a_held_machine__may_not_change(world: World) -> None:
    rental = opened(world)
    with expect(errors.ListingOccupied):
        world.act(respecify(region=ELSEWHERE))
    world.act(respecify(on_demand_usd=SPEC.on_demand_usd + 1))
    world.act(world.stop_rental(rental))
    world.act(respecify(region=ELSEWHERE))


def test_quotas__used_up_region__is_another_wallets_free_one(world: World) -> None:
    limit(world, wallet=5, region=1)
    places: tuple[tuple[Pubkey, Pubkey], ...] = ((RENTER, LISTING), (TENANT, RIVAL_LISTING))
    for renter, listing in places:
        opened(world, renter, listing=listing)
    for renter, _ in places:
        with expect(errors.RegionQuotaExceeded):
            world.act(world.open_rental(renter, LISTINGS[1]))
