"""A stake's discount is that of one cool-down at most, spread over the order's time. Invariants STK-5, STK-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors.program import REMEDIES
from anchor_client.generated import errors, events
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import HOST, RENTER, USDC
from .harness.changes import FEE_BPS, TERMS, set_parameter
from .harness.outcome import expect
from .harness.reference import BPS, ceil_div
from .harness.staking import EPOCH, TOKEN, staked, unstake
from .harness.terms import HOUR
from .harness.world import World

MOST = 2_000_000 * TOKEN
HALF = FEE_BPS // 2
WHOLE = 5_000
"""Discount of that stake, in basis points."""


def fee(discount: int, extra_bps: int = 0, usd: int = ON_DEMAND_USD) -> int:
    """One side's fee on an hour in USDC."""
    return ceil_div(usd * (HALF * (BPS - discount) + extra_bps * BPS), BPS * BPS)


def spread(seconds: int) -> int:
    return WHOLE * min(seconds, EPOCH) // seconds


@pytest.fixture(params=[RENTER, HOST])
def staker(world: World, request: pytest.FixtureRequest) -> Pubkey:
    """One side of an order, with the most stake that counts."""
    owner: Pubkey = request.param
    staked(world, MOST, owner)
    world.act(world.heartbeat())
    return owner


def fees(staker: Pubkey, discount: int) -> tuple[int, int]:
    """The renter's rate and both fees, with the discount on the staker's side."""
    renter, host = (discount if staker == side else 0 for side in (RENTER, HOST))
    return ON_DEMAND_USD + fee(renter), fee(renter) + fee(host, TERMS[USDC].extra_fee_bps)


@pytest.mark.parametrize("seconds", [HOUR, EPOCH, EPOCH + 1, 2 * EPOCH, 90 * EPOCH])
def test_attack__stake_that_leaves_with_the_order__saves_one_cool_down_at_most(
    world: World, staker: Pubkey, seconds: int
) -> None:
    order, leave = world.open_rental(mint=USDC, duration=seconds), unstake(staker, MOST)
    event = world.act(order, leave).events[0]
    assert isinstance(event, events.RentalOpened)
    assert (event.rate, event.fee_rate) == fees(staker, spread(seconds))
    assert world.rental(event.rental).has_discount == (spread(seconds) > 0)


def test_discount__reserved_term__is_that_of_one_cool_down_too(world: World, staker: Pubkey) -> None:
    term = 90 * EPOCH
    event = world.act(world.open_rental(mint=USDC, kind=RentalKind.RESERVED, duration=term)).event(events.RentalOpened)
    market = world.market()
    usd = ON_DEMAND_USD - ON_DEMAND_USD * market.reserved_discount_bps // BPS
    half = market.reserved_fee_bps // 2
    discount = spread(term) if staker == RENTER else 0
    assert event.rate == usd + ceil_div(usd * half * (BPS - discount), BPS * BPS)


def test_extend_rental__up_to_a_cool_down__has_the_discount_and_no_longer(world: World, staker: Pubkey) -> None:
    rental = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened).rental
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.act(world.extend_rental(rental, EPOCH - HOUR))
    with expect(errors.DiscountSpent):
        world.act(world.extend_rental(rental, 1))


def test_extend_rental__longer_order_with_a_discount__is_refused(world: World, staker: Pubkey) -> None:
    rental = world.act(world.open_rental(mint=USDC, duration=EPOCH + 1)).event(events.RentalOpened).rental
    world.act(world.accept_rental(rental), world.start_rental(rental))
    with expect(errors.DiscountSpent):
        world.act(world.extend_rental(rental, 1))


def test_extend_rental__without_a_discount__goes_on(world: World) -> None:
    rental = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened).rental
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.act(world.extend_rental(rental, 3 * EPOCH))
    assert world.rental(rental).has_discount == 0


def test_discount__shorter_cool_down__is_that_of_the_order(world: World, staker: Pubkey) -> None:
    world.act(set_parameter(MarketParameter.EPOCH_SECONDS, HOUR))
    event = world.act(world.open_rental(mint=USDC, duration=2 * HOUR)).event(events.RentalOpened)
    assert (event.rate, event.fee_rate) == fees(staker, WHOLE // 2)


def test_extend_rental__discount_of_the_host_alone__ends_with_its_cool_down_and_the_renter_rents_anew(
    world: World,
) -> None:
    """The renter, who has no stake, is told so, and keeps the machine by a second order of the same length."""
    staked(world, MOST, HOST)
    world.act(world.heartbeat())
    rental = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened).rental
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.act(world.extend_rental(rental, EPOCH - HOUR))
    with expect(errors.DiscountSpent):
        world.act(world.extend_rental(rental, 1))
    assert "the renter's or the host's" in REMEDIES[errors.DiscountSpent.__name__]
    world.run(EPOCH)
    anew = world.act(world.finalize_rental(rental), world.open_rental(mint=USDC, duration=EPOCH)).events[1]
    assert isinstance(anew, events.RentalOpened)
    assert (anew.rate, anew.fee_rate) == fees(HOST, WHOLE)
