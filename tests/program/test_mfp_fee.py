"""The extra fee on orders in other mints, against the host's lock and points. Invariant MFP-1."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import events
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, LISTINGS, USDC, WSOL
from .harness.changes import FEE_BPS, TERMS, seeded_rates
from .harness.flows import running
from .harness.reference import rates
from .harness.staking import TOKEN, lock_mfp, refresh_listing, set_gpu_model, unlock_mfp
from .harness.terms import HOUR, USDC_PRICE
from .harness.tokens import put_tokens
from .harness.world import World

POINTS = 8 * 2 * 100
"""Of the seeded host: eight listings of two GPUs."""
REQUIRED = POINTS * 1_000 * TOKEN
"""1,000 tokens a point."""
EXTRA_BPS = TERMS[USDC].extra_fee_bps


def rich(world: World) -> None:
    """Gives the host enough for every lock."""
    put_tokens(world.cluster, GPUM, HOST, 4 * REQUIRED)


def open_in(world: World, mint: Pubkey = USDC) -> events.RentalOpened:
    return world.act(world.open_rental(mint=mint)).event(events.RentalOpened)


@pytest.mark.parametrize(
    ("locked", "extra_bps"),
    [
        (0, EXTRA_BPS),
        (1, EXTRA_BPS),
        (REQUIRED // EXTRA_BPS, EXTRA_BPS - 1),
        (REQUIRED // 2 - 1, EXTRA_BPS // 2 + 1),
        (REQUIRED // 2, EXTRA_BPS // 2),
        (REQUIRED - 1, 1),
        (REQUIRED, 0),
        (REQUIRED + 1, 0),
        (3 * REQUIRED, 0),
    ],
)
def test_extra_fee__lock__takes_it_down_linearly(world: World, locked: int, extra_bps: int) -> None:
    rich(world)
    if locked:
        world.act(lock_mfp(HOST, locked))
    event = open_in(world)
    expected = rates(ON_DEMAND_USD, USDC_PRICE, 6, fee_bps=FEE_BPS, extra_fee_bps=extra_bps)
    assert (event.rate, event.fee_rate) == (expected.rate, expected.fee)


def test_extra_fee__exact_amount__is_that_share_of_the_price(world: World) -> None:
    rich(world)
    """Of 7.380001 USDC an hour: 5 % from the renter, and from the host 7.5 % before and 5 % after, each rounded up."""
    full = open_in(world).fee_rate
    world.act(world.stop_rental(_last(world)))
    world.act(lock_mfp(HOST, REQUIRED))
    assert (full, open_in(world).fee_rate) == (369_001 + 553_501, 369_001 + 369_001)


def test_extra_fee__market_token__never_has_one(world: World) -> None:
    assert open_in(world, GPUM).fee_rate == seeded_rates(GPUM).fee


def test_extra_fee__points_raised_after_the_lock__come_back_with_the_refresh(world: World) -> None:
    rich(world)
    world.act(lock_mfp(HOST, REQUIRED), set_gpu_model(1, 200))
    assert open_in(world).fee_rate == rates(ON_DEMAND_USD, USDC_PRICE, 6, fee_bps=FEE_BPS).fee
    world.act(world.stop_rental(_last(world)))
    world.act(refresh_listing())
    missing = EXTRA_BPS * 200 // (POINTS + 200)
    expected = rates(ON_DEMAND_USD, USDC_PRICE, 6, fee_bps=FEE_BPS, extra_fee_bps=missing + 1)
    assert open_in(world).fee_rate == expected.fee


def test_extra_fee__more_listings_after_the_lock__count_at_once(world: World) -> None:
    rich(world)
    world.act(lock_mfp(HOST, REQUIRED), world.create_listing())
    expected = rates(ON_DEMAND_USD, USDC_PRICE, 6, fee_bps=FEE_BPS, extra_fee_bps=EXTRA_BPS * 200 // (POINTS + 200) + 1)
    assert open_in(world).fee_rate == expected.fee


def test_extra_fee__host_without_points__pays_all_of_it(world: World) -> None:
    rich(world)
    world.act(lock_mfp(HOST, REQUIRED), set_gpu_model(1, 0))
    for listing in LISTINGS:
        world.act(refresh_listing(listing=listing))
    assert world.host().points == 0
    assert open_in(world).fee_rate == seeded_rates(USDC).fee


def test_extra_fee__listing_without_points__pays_all_of_it_whatever_covers_the_others(world: World) -> None:
    """A card that the catalog does not know, beside one point that is locked for."""
    world.act(set_gpu_model(1, 0))
    for listing in LISTINGS:
        world.act(refresh_listing(listing=listing))
    world.act(set_gpu_model(1, 1), refresh_listing(listing=LISTINGS[1]))
    rich(world)
    world.act(lock_mfp(HOST, world.host().points * 1_000 * TOKEN))
    covered = rates(ON_DEMAND_USD, USDC_PRICE, 6, fee_bps=FEE_BPS, extra_fee_bps=0).fee
    assert world.act(world.open_rental(listing=LISTINGS[1], mint=USDC)).event(events.RentalOpened).fee_rate == covered
    assert world.listing(LISTINGS[0]).points == 0
    assert open_in(world).fee_rate == seeded_rates(USDC).fee > covered


def test_unlock_mfp__while_relied_upon__counts_no_more_but_running_rentals_keep_their_fee(world: World) -> None:
    rich(world)
    world.act(lock_mfp(HOST, REQUIRED))
    rental = running(world, mint=USDC)
    fee = world.rental(rental).fee_rate
    world.act(unlock_mfp(HOST, REQUIRED))
    assert world.rental(rental).fee_rate == fee
    world.act(world.extend_rental(rental, HOUR))
    assert world.rental(rental).fee_rate == fee
    event = world.act(world.open_rental(listing=LISTINGS[1], mint=USDC)).event(events.RentalOpened)
    assert event.fee_rate == seeded_rates(USDC).fee > fee


def test_extra_fee__sol__falls_with_the_same_lock(world: World) -> None:
    rich(world)
    before = open_in(world, WSOL).fee_rate
    world.act(world.stop_rental(_last(world)))
    world.act(lock_mfp(HOST, REQUIRED))
    assert open_in(world, WSOL).fee_rate < before


def _last(world: World) -> Pubkey:
    return world.listing().current
