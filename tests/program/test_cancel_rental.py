"""cancel_rental: the host gives up, with a reason; the holdback goes to the renter.

Invariants HST-6, RNT-1, RNT-2, RNT-4, RNT-7, RNT-9, RNT-13.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason

from .harness.actors import HOST, KEEPER, LISTINGS, MINTS, RENTER, RIVAL, STRANGER
from .harness.audit.reasons import GIVEN_BY_HOST, REFUSALS
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.reference import reputation
from .harness.terms import HOUR
from .harness.world import World

TIP = 20_000
REASONS = sorted(GIVEN_BY_HOST - REFUSALS)


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("reason", REASONS)
def test_cancel_rental__running__gives_the_holdback_to_the_renter(
    world: World, mint: Pubkey, reason: CloseReason
) -> None:
    rental = running(world, mint=mint)
    world.run(1_234)
    expected = closed(world, rental, used=1_234, reason=reason, caller=HOST)
    outcome = world.act(world.cancel_rental(rental, reason))
    assert outcome.event(events.RentalClosed) == expected
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded
    listing = world.listing()
    assert (listing.completed, listing.failed, listing.current) == (0, 1, Pubkey.default())


@pytest.mark.parametrize("bring", [opened, accepted])
@pytest.mark.parametrize("reason", sorted(GIVEN_BY_HOST))
def test_cancel_rental__before_the_start__refunds_everything(world: World, bring: Flow, reason: CloseReason) -> None:
    rental = bring(world)
    world.wait(90)
    expected = closed(world, rental, used=0, reason=reason, caller=HOST)
    event = world.act(world.cancel_rental(rental, reason)).event(events.RentalClosed)
    assert event == expected and (event.used, event.charged) == (0, 0)
    assert world.tokens(RENTER) == WALLET_TOKENS


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_cancel_rental__order_refused__counts_neither_for_nor_against_the_host(
    world: World, reason: CloseReason
) -> None:
    """Undeliverable orders cost a host no reputation. Invariant HST-6."""
    for _ in range(3):
        world.act(world.cancel_rental(opened(world), reason))
    listing = world.listing()
    assert (listing.completed, listing.failed, listing.refused) == (0, 0, 3)
    counted, score = world.act(world.update_reputation(HOST, *LISTINGS)).events
    assert isinstance(counted, events.HostCounted) and isinstance(score, events.HostScored)
    assert (counted.completed, counted.failed, counted.refused) == (0, 0, 3)
    assert score.new == reputation(score.tracked_seconds, score.up_seconds)
    assert (world.host().refused, world.listing().refused) == (3, 0)


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_cancel_rental__order_refused_after_the_start__is_refused(world: World, reason: CloseReason) -> None:
    """A machine that fails is a failure. Invariant HST-6."""
    with expect(errors.WrongRentalState):
        world.act(world.cancel_rental(running(world), reason))


@pytest.mark.parametrize("used", [0, 1, 59])
def test_cancel_rental__host_gives_up_at_once__is_paid_no_least_charge(world: World, used: int) -> None:
    """Invariant RNT-13."""
    rental = running(world)
    if used:
        world.run(used)
    assert world.act(world.cancel_rental(rental)).event(events.RentalClosed).charged == used


def test_cancel_rental__host__earns_no_tip(world: World) -> None:
    outcome = world.act(world.cancel_rental(opened(world)))
    assert outcome.lamports_gained(HOST) == 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP


def test_cancel_rental__silence_before__is_not_paid(world: World) -> None:
    rental = running(world)
    world.run(500)
    world.fall_silent()
    expected = closed(world, rental, used=500, reason=CloseReason.HOST_FAULT, caller=HOST)
    assert world.act(world.cancel_rental(rental)).event(events.RentalClosed) == expected


def test_cancel_rental__after_settling__keeps_what_was_paid(world: World) -> None:
    rental = running(world)
    world.run(600)
    world.act(world.settle_rental(rental))
    expected = closed(world, rental, used=600, reason=CloseReason.HOST_FAULT, caller=HOST)
    assert expected.paid_now == 0 < expected.paid
    assert world.act(world.cancel_rental(rental)).event(events.RentalClosed) == expected


def test_cancel_rental__paid_time_over__pays_no_more_than_it(world: World) -> None:
    rental = running(world)
    world.run(2 * HOUR)
    expected = closed(world, rental, used=HOUR, reason=CloseReason.HOST_FAULT, caller=HOST)
    assert world.act(world.cancel_rental(rental)).event(events.RentalClosed) == expected


@pytest.mark.parametrize("reason", sorted(set(CloseReason) - GIVEN_BY_HOST))
def test_cancel_rental__reason_of_others__is_refused(world: World, reason: CloseReason) -> None:
    with expect(errors.InvalidCloseReason):
        world.act(world.cancel_rental(running(world), reason))


@pytest.mark.parametrize("signer", [RIVAL, RENTER, KEEPER, STRANGER])
def test_cancel_rental__not_the_operator__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongOperator):
        world.act(world.cancel_rental(running(world), caller=signer))
