"""place_bid: an order waits for a machine that a spot rental holds, and the holder is warned.

Invariants SYS-4, RNT-6, RNT-8, RNT-10, SPT-1, SPT-2, SPT-6.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_rental
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import HOST, LISTING, LISTINGS, MINTS, RENTER, TENANT
from .harness.changes import respecify, seeded_rates, set_parameter, set_paused
from .harness.cluster import FIRST_NONCE
from .harness.flows import running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import GRACE, HELD_AT, LEAST, SPOT_FEE_BPS, challenged, held, place_bid, queued, take_over
from .harness.terms import HOUR, RESERVED_TERMS
from .harness.world import World

TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(
    ("kind", "usd", "duration", "fee_bps"),
    [
        (RentalKind.SPOT, LEAST, 4 * HOUR, SPOT_FEE_BPS),
        (RentalKind.ON_DEMAND, ON_DEMAND_USD, HOUR, 1_000),
        (RentalKind.RESERVED, ON_DEMAND_USD - ON_DEMAND_USD // 10, RESERVED_TERMS[0], 1_000),
    ],
)
def test_place_bid__spot_holder__escrows_and_gives_the_holder_grace(
    world: World, mint: Pubkey, kind: RentalKind, usd: int, duration: int, fee_bps: int
) -> None:
    holder = held(world)
    listing, vault = world.listing(), world.vault(mint)
    outcome = world.act(place_bid(world, mint=mint, kind=kind, bid=usd, duration=duration))
    rate = seeded_rates(mint, usd, fee_bps)
    challenger = find_rental(TENANT, FIRST_NONCE)[0]
    rental = world.rental(challenger)
    assert (rental.state, rental.kind, rental.rate_usd) == (RentalState.QUEUED, kind, usd)
    deposit = rate.deposit(duration) + rate.compensation(rental.min_charge)
    assert (rental.rate, rental.fee_rate, rental.deposit) == (rate.rate, rate.fee, deposit)
    opened, preempting = outcome.events
    assert isinstance(opened, events.RentalOpened) and opened.preempt_at == world.now + GRACE
    assert (opened.rental, opened.deposit, opened.listing_seq) == (challenger, rental.deposit, listing.seq + 1)
    assert preempting == events.RentalPreempting(
        listing=LISTING,
        rental=holder,
        challenger=challenger,
        preempt_at=world.now + GRACE,
        at=world.now,
        seq=world.rental(holder).seq,
        listing_seq=listing.seq + 2,
    )
    after = world.listing()
    assert (after.current, after.challenger, after.preempt_at) == (holder, challenger, world.now + GRACE)
    assert after.opened == listing.opened
    assert world.vault(mint).liabilities == vault.liabilities + deposit + rate.subsidy_of(duration)
    assert world.tokens(TENANT, mint) == WALLET_TOKENS - rental.deposit
    assert outcome.lamports_gained(TENANT) == -world.cluster.rent(Rental.SIZE) - TIP
    assert world.profile(TENANT).active_rentals == 1


def test_place_bid__grace_shortened_since__is_the_holders_own(world: World) -> None:
    """Invariant RNT-6."""
    holder = held(world)
    world.act(set_parameter(MarketParameter.SPOT_GRACE, 30))
    world.act(place_bid(world))
    assert world.listing().preempt_at == world.now + GRACE
    world.act(world.stop_rental(holder))
    world.act(take_over(world))
    assert world.listing().spot_grace == 30


def test_place_bid__the_least_that_beats_the_holder__is_taken(world: World) -> None:
    held(world)
    with expect(errors.BidTooLow):
        world.act(place_bid(world, bid=LEAST - 1))
    world.act(place_bid(world, bid=LEAST))


@pytest.mark.parametrize(("increment", "least"), [(1, HELD_AT + 201), (5_000, HELD_AT + 1_000_001)])
def test_place_bid__increment__is_the_markets(world: World, increment: int, least: int) -> None:
    world.act(set_parameter(MarketParameter.SPOT_INCREMENT_BPS, increment))
    held(world)
    with expect(errors.BidTooLow):
        world.act(place_bid(world, bid=least - 1))
    world.act(place_bid(world, bid=least))


def test_place_bid__above_the_price_on_demand__is_refused(world: World) -> None:
    held(world)
    with expect(errors.BidTooHigh):
        world.act(place_bid(world, bid=ON_DEMAND_USD + 1))
    world.act(place_bid(world, bid=ON_DEMAND_USD))


RESERVED_USD = ON_DEMAND_USD - ON_DEMAND_USD // 10


@pytest.mark.parametrize(
    ("kind", "duration", "price"),
    [(RentalKind.ON_DEMAND, HOUR, ON_DEMAND_USD), (RentalKind.RESERVED, RESERVED_TERMS[0], RESERVED_USD)],
)
@pytest.mark.parametrize("above", [0, 1])
def test_place_bid__order_of_another_kind__pays_no_less_than_the_holder(
    world: World, kind: RentalKind, duration: int, price: int, above: int
) -> None:
    """A reserved order at nine tenths of the listing's price evicts nobody who bid more."""
    world.act(respecify(on_demand_usd=ON_DEMAND_USD * 2))
    held(world, bid=price + above)
    world.act(respecify())
    with expect(errors.PriceBelowHolder) if above else nullcontext():
        world.act(place_bid(world, kind=kind, duration=duration))


def test_place_bid__below_a_minimum_that_rose__is_refused(world: World) -> None:
    held(world)
    world.act(respecify(spot_min_usd=LEAST + 1))
    with expect(errors.BidTooLow):
        world.act(place_bid(world, bid=LEAST))
    world.act(place_bid(world, bid=LEAST + 1))


def test_place_bid__listing_that_left_spot__takes_orders_at_full_price_only(world: World) -> None:
    held(world)
    world.act(respecify(spot_min_usd=0))
    with expect(errors.SpotNotOffered):
        world.act(place_bid(world))
    world.act(place_bid(world, kind=RentalKind.ON_DEMAND))


@pytest.mark.parametrize(("kind", "duration"), [(RentalKind.ON_DEMAND, HOUR), (RentalKind.RESERVED, RESERVED_TERMS[0])])
@pytest.mark.parametrize("by", list(RentalKind))
def test_place_bid__holder_at_full_price__is_never_displaced(
    world: World, kind: RentalKind, duration: int, by: RentalKind
) -> None:
    running(world, kind=kind, duration=duration)
    with expect(errors.ListingOccupied):
        world.act(place_bid(world, kind=by, bid=ON_DEMAND_USD, duration=RESERVED_TERMS[0]))


def test_place_bid__the_holders_own_wallet__is_refused(world: World) -> None:
    held(world)
    with expect(errors.SelfChallenge):
        world.act(place_bid(world, RENTER, bid=LEAST * 2))


def test_place_bid__the_hosts_own_wallet__is_refused(world: World) -> None:
    world.act(world.register_renter(HOST))
    held(world)
    with expect(errors.SelfRental):
        world.act(place_bid(world, HOST))


def test_place_bid__free_listing__is_refused(world: World) -> None:
    other = held(world, listing=LISTINGS[1])
    with expect(errors.WrongHolder):
        world.act(place_bid(world, holder=other))


def test_place_bid__someone_waits_already__is_refused(world: World) -> None:
    held(world)
    challenged(world)
    with expect(errors.ChallengerWaiting):
        world.act(place_bid(world, bid=LEAST * 2, nonce=1))


def test_place_bid__holder_that_has_not_started__is_challenged_too(world: World) -> None:
    queued(world)
    world.act(place_bid(world))
    assert world.listing().challenger == find_rental(TENANT, FIRST_NONCE)[0]


def _paused(world: World) -> None:
    world.act(set_paused(PauseArea.ORDERS))


def _hidden(world: World) -> None:
    world.act(respecify(visible=False))


def _silent(world: World) -> None:
    world.wait(301)


@pytest.mark.parametrize(
    ("error", "prepare", "order"),
    [
        (errors.Paused, _paused, {}),
        (errors.ListingHidden, _hidden, {}),
        (errors.ListingOffline, _silent, {}),
        (errors.CostAboveMaximum, None, {"max_deposit": 1}),
        (errors.DurationTooShort, None, {"duration": HOUR // 2 - 1}),
        (errors.OrderBelowMinimum, None, {"duration": HOUR}),
        (errors.NonceMismatch, None, {"nonce": 1}),
    ],
)
def test_place_bid__what_no_order_may__is_refused(world: World, error: Any, prepare: Any, order: Any) -> None:
    held(world)
    if prepare is not None:
        prepare(world)
    with expect(error):
        world.act(place_bid(world, **{"duration": 4 * HOUR, **order}))
