"""stop_rental: the renter ends the rental and has the rest back at once.

Invariants SYS-2, MKT-3, HST-5, RNT-1, RNT-2, RNT-7, RNT-9.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, KEEPER, LISTINGS, MINTS, RENTER, STRANGER, TENANT
from .harness.audit.reputation import MIN_RATED_SECONDS
from .harness.changes import set_parameter
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.reference import reputation
from .harness.terms import HOUR
from .harness.tokens import supply_of
from .harness.world import World

TIP = 20_000
OFFLINE_AFTER = 300


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("used", [0, 1, 1_234, HOUR - 1])
def test_stop_rental__running__pays_the_seconds_used(world: World, mint: Pubkey, used: int) -> None:
    rental = running(world, mint=mint)
    if used:
        world.run(used)
    expected = closed(world, rental, used=used, reason=CloseReason.STOPPED, caller=RENTER)
    supply = supply_of(world.cluster, mint)
    outcome = world.act(world.stop_rental(rental))
    assert outcome.event(events.RentalClosed) == expected
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded
    assert supply_of(world.cluster, mint) == supply - expected.burned
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP
    assert not world.exists(rental)


def test_stop_rental__running__frees_the_listing_and_counts(world: World) -> None:
    rental = running(world)
    world.run(1_234)
    world.act(world.stop_rental(rental))
    listing, profile = world.listing(), world.profile()
    assert (listing.current, listing.idle_since) == (Pubkey.default(), world.now)
    assert (listing.opened, listing.completed, listing.failed) == (1, 1, 0)
    assert (profile.active_rentals, profile.completed_rentals) == (0, 0)
    assert profile.spent_usd == ON_DEMAND_USD * 1_234 // HOUR


@pytest.mark.parametrize("used", [0, 1, MIN_RATED_SECONDS - 1, MIN_RATED_SECONDS, MIN_RATED_SECONDS + 1])
def test_stop_rental__around_the_least_time_of_a_rating__counts_as_completed_from_it_on(
    world: World, used: int
) -> None:
    """Neither for the host nor against it. Invariant HST-5."""
    rental = running(world)
    if used:
        world.run(used)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.completed is (used >= MIN_RATED_SECONDS)
    assert (world.listing().completed, world.listing().failed) == (int(event.completed), 0)


@pytest.mark.parametrize("change", [-1, 0, 1])
def test_stop_rental__least_time_changed_meanwhile__is_that_of_the_end(world: World, change: int) -> None:
    rental = running(world)
    world.run(1_000)
    world.act(set_parameter(MarketParameter.MIN_RATED_SECONDS, 1_000 + change))
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.completed is (change <= 0)


def test_stop_rental__many_of_a_second__give_a_host_no_reputation(world: World) -> None:
    for _ in range(5):
        rental = running(world)
        world.run(1)
        world.act(world.stop_rental(rental))
    score = world.act(world.update_reputation(HOST, *LISTINGS)).events[-1]
    assert isinstance(score, events.HostScored)
    assert (score.completed, score.failed) == (0, 0)
    assert score.new == reputation(score.tracked_seconds, score.up_seconds)


@pytest.mark.parametrize("market", [find_host(HOST)[0], find_listing(find_host(HOST)[0], 0)[0], STRANGER])
def test_stop_rental__another_account_for_the_market__is_refused(world: World, market: Pubkey) -> None:
    rental = running(world)
    with expect_refusal():
        world.act(world.stop_rental(rental, market=market))


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("bring", [opened, accepted])
def test_stop_rental__before_the_start__has_everything_back(world: World, mint: Pubkey, bring: Flow) -> None:
    pool = world.vault(mint).subsidy_pool
    rental = bring(world, mint=mint)
    world.wait(450)
    expected = closed(world, rental, used=0, reason=CloseReason.WITHDRAWN, caller=RENTER)
    assert expected.refunded == expected.deposit
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.tokens(RENTER, mint) == WALLET_TOKENS
    assert world.vault(mint).subsidy_pool == pool
    listing = world.listing()
    assert (listing.completed, listing.failed) == (0, 0)


def test_stop_rental__after_settling__pays_nothing_twice(world: World) -> None:
    rental = running(world)
    for _ in range(3):
        world.run(299)
        world.act(world.settle_rental(rental))
    world.run(103)
    expected = closed(world, rental, used=1_000, reason=CloseReason.STOPPED, caller=RENTER)
    assert 0 < expected.paid_now < expected.paid
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.tokens(HOST) == WALLET_TOKENS + expected.paid


@pytest.mark.parametrize(("silence", "reason"), [(OFFLINE_AFTER, "STOPPED"), (OFFLINE_AFTER + 1, "HOST_OFFLINE")])
def test_stop_rental__silent_host__is_paid_to_its_last_heartbeat(world: World, silence: int, reason: str) -> None:
    rental = running(world)
    world.run(1_000)
    world.wait(silence)
    why = CloseReason[reason]
    used = 1_000 + silence if why is CloseReason.STOPPED else 1_000
    expected = closed(world, rental, used=used, reason=why, caller=RENTER)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.listing().failed == int(why is CloseReason.HOST_OFFLINE)


def test_stop_rental__paid_time_over__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    with expect(errors.RentalExpired):
        world.act(world.stop_rental(rental))


@pytest.mark.parametrize("signer", [TENANT, HOST, KEEPER, STRANGER])
@pytest.mark.parametrize("bring", [opened, running])
def test_stop_rental__not_the_renter__is_refused(world: World, bring: Flow, signer: Pubkey) -> None:
    with expect(errors.WrongRenter):
        world.act(world.stop_rental(bring(world), caller=signer))


def test_stop_rental__renter_spends_exactly__what_the_split_says(world: World) -> None:
    rental = running(world)
    world.run(1)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    spent = WALLET_TOKENS - world.tokens(RENTER, GPUM)
    assert spent == event.paid + event.fees + event.burned - (event.subsidy - event.subsidy_returned)
