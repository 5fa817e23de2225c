"""preempt: after its grace a challenged holder pays for what it used, and the challenger holds the machine.

Invariants HST-5, RNT-1 to RNT-4, RNT-8, SPT-3, SPT-5.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_renter_profile
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import GPUM, HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, STRANGER, TENANT, WSOL
from .harness.audit.reputation import MIN_RATED_SECONDS
from .harness.endings import closed
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import GRACE, challenged, compensation, held, preempt, queued, take_over
from .harness.terms import HOUR
from .harness.world import World

TIP = 20_000
PROVISION_TIMEOUT = 900


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("settled", [False, True])
def test_preempt__grace_over__pays_by_the_second_and_hands_over(world: World, mint: Pubkey, settled: bool) -> None:
    holder = held(world, mint=mint)
    world.run(1_000)
    challenger = challenged(world)
    due = compensation(world, challenger)
    if settled:
        world.act(world.settle_rental(holder))
    world.run(GRACE)
    used = 1_000 + GRACE
    expected = closed(world, holder, used=used, reason=CloseReason.PREEMPTED, caller=KEEPER)
    opened_before, heard = world.listing().opened, world.listing().last_heartbeat_at
    outcome = world.act(preempt(world))
    assert outcome.events == (
        expected,
        events.RentalTookOver(
            listing=LISTING,
            rental=challenger,
            preempted=holder,
            start_by=world.now + PROVISION_TIMEOUT,
            at=world.now,
            seq=2,
            listing_seq=expected.listing_seq + 1,
            mint=GPUM,
            compensation=due,
            compensation_kept=0,
            vault_seq=world.vault(GPUM).seq,
        ),
    )
    compensation_here = due if mint == GPUM else 0
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded + compensation_here
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert outcome.lamports_gained(KEEPER) == TIP
    refund = expected.refunded if mint == WSOL else 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + refund
    listing, rental = world.listing(), world.rental(challenger)
    assert (listing.current, listing.challenger, listing.preempt_at) == (challenger, Pubkey.default(), 0)
    assert (listing.opened, listing.completed, listing.failed) == (opened_before + 1, 1, 0)
    assert listing.last_heartbeat_at == heard
    assert (rental.state, rental.created_at, rental.started_at) == (RentalState.QUEUED, world.now, 0)
    profile = world.profile()
    assert (profile.active_rentals, profile.completed_rentals) == (0, 0)
    assert profile.spent_usd == listing.paid_usd == expected.paid_usd


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_preempt__around_the_least_time_of_a_rating__counts_as_completed_from_it_on(world: World, more: int) -> None:
    """Two wallets that push each other out give a host no more than their rentals were worth. Invariant HST-5."""
    holder = held(world)
    world.run(MIN_RATED_SECONDS - GRACE + more)
    challenged(world)
    world.run(GRACE)
    event = world.act(preempt(world)).events[0]
    assert isinstance(event, events.RentalClosed)
    assert (event.rental, event.used) == (holder, MIN_RATED_SECONDS + more)
    assert event.completed is (more >= 0)
    assert (world.listing().completed, world.listing().failed) == (int(event.completed), 0)


def test_preempt__the_challenger__runs_and_ends_like_any_rental(world: World) -> None:
    held(world)
    challenger = challenged(world)
    world.run(GRACE)
    world.act(preempt(world))
    world.act(world.accept_rental(challenger))
    world.act(world.start_rental(challenger))
    world.run(4 * HOUR)
    outcome = world.act(world.finalize_rental(challenger)).event(events.RentalClosed)
    assert (outcome.reason, outcome.used) == (CloseReason.EXPIRED, 4 * HOUR)


def test_preempt__the_challengers_time_to_start__begins_with_it(world: World) -> None:
    held(world)
    challenger = challenged(world)
    world.run(GRACE)
    world.act(preempt(world))
    world.run(PROVISION_TIMEOUT)
    with expect(errors.ProvisioningInTime):
        world.act(world.cancel_unstarted(challenger))
    world.run(1)
    deposit = world.rental(challenger).deposit
    assert world.act(world.cancel_unstarted(challenger)).event(events.RentalClosed).refunded == deposit


def test_preempt__a_second_early__is_refused(world: World) -> None:
    held(world)
    challenged(world)
    world.run(GRACE - 1)
    with expect(errors.GraceNotOver):
        world.act(preempt(world))
    world.run(1)
    world.act(preempt(world))


@pytest.mark.parametrize("accept", [False, True])
def test_preempt__holder_not_started__has_everything_back(world: World, accept: bool) -> None:
    holder = queued(world)
    if accept:
        world.act(world.accept_rental(holder))
    due = compensation(world, challenged(world))
    world.run(GRACE)
    expected = closed(world, holder, used=0, reason=CloseReason.PREEMPTED, caller=STRANGER)
    assert expected.refunded == expected.deposit
    assert world.act(preempt(world, caller=STRANGER)).events[0] == expected
    assert world.tokens(RENTER) == WALLET_TOKENS + due
    assert (world.listing().completed, world.listing().failed) == (0, 0)


def test_preempt__nobody_waits__is_refused(world: World) -> None:
    held(world)
    other = held(world, TENANT, listing=LISTINGS[1])
    with expect(errors.WrongChallenger):
        world.act(preempt(world, challenger=other))


def test_preempt__a_rental_that_holds_nothing__is_refused(world: World) -> None:
    held(world)
    challenged(world)
    elsewhere = held(world, TENANT, listing=LISTINGS[1])
    world.run(GRACE)
    with expect(errors.WrongListing):
        world.act(preempt(world, rental=elsewhere, renter=TENANT, renter_profile=find_renter_profile(TENANT)[0]))


def test_take_over__held_machine__is_refused(world: World) -> None:
    held(world)
    challenged(world)
    world.run(GRACE)
    with expect(errors.ListingOccupied):
        world.act(take_over(world))


def test_preempt__clock_goes_back_after_a_settlement__pays_to_the_later(world: World) -> None:
    holder = held(world)
    world.run(1_000)
    challenged(world)
    world.run(GRACE + 15)
    world.act(world.settle_rental(holder))
    world.wait(-15)
    expected = closed(world, holder, used=1_000 + GRACE + 15, reason=CloseReason.PREEMPTED, caller=KEEPER)
    assert world.act(preempt(world)).events[0] == expected
