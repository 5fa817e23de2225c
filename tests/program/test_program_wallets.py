"""A payee who has made a program of their wallet, which no program can pay in SOL, holds nobody up but themselves.

Invariants RNT-19, RNT-20, RNT-24.
"""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import HOST, KEEPER, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.charges import close_meter, metered, read, reported
from .harness.endings import PAYING, REFUNDING, Ending, each
from .harness.flows import finished, opened, requested, running
from .harness.outcome import expect
from .harness.programs import make_program
from .harness.spot import GRACE, challenged, held, outbid, preempt, register_stranger, take_over, withdraw_challenger
from .harness.terms import DAY, HOUR
from .harness.world import World

WINDOWS = 3 * DAY
"""Longer than the time to contest and the one after it."""


@each(PAYING)
def test_attack__host_that_is_a_program__cannot_lock_its_renters_money(world: World, ending: Ending) -> None:
    rental = ending.prepare(world, mint=WSOL)
    make_program(world, HOST)
    event = world.act(ending.act(world, rental)).event(events.RentalClosed)
    assert world.listing().owed == event.host_owed == event.paid_now > 0
    assert event.renter_owed == 0 and not world.exists(rental)
    with expect(errors.PayeeNotPayable):
        world.act(world.claim_payout())


@each(REFUNDING)
def test_attack__renter_who_is_a_program__cannot_lock_the_machine(world: World, ending: Ending) -> None:
    rental = ending.prepare(world, mint=WSOL)
    make_program(world, RENTER)
    event = world.act(ending.act(world, rental)).event(events.RentalClosed)
    assert event.renter_owed == event.refunded > 0 and event.host_owed == 0
    assert world.rental(rental).state == RentalState.ENDED
    assert world.listing().current == Pubkey.default()
    with expect(errors.PayeeNotPayable):
        world.act(world.claim_refund(rental))


def test_attack__renter_who_is_a_program__gets_the_rent_of_a_used_up_rental(world: World) -> None:
    rental = running(world, mint=WSOL)
    world.run(HOUR)
    make_program(world, RENTER)
    outcome = world.act(world.finalize_rental(rental))
    assert outcome.event(events.RentalClosed).refunded == 0
    assert not world.exists(rental) and outcome.lamports_gained(RENTER) > 0


def test_attack__order_of_a_program__can_be_refused(world: World) -> None:
    rental = opened(world, mint=WSOL)
    make_program(world, RENTER)
    world.act(world.cancel_rental(rental))
    assert world.rental(rental).state == RentalState.ENDED
    world.act(world.open_rental(TENANT, mint=USDC))


def test_attack__holder_that_is_a_program__gives_way_to_a_bid(world: World) -> None:
    holder = held(world, mint=WSOL)
    make_program(world, RENTER)
    challenger = challenged(world)
    world.run(GRACE)
    world.act(preempt(world))
    assert world.listing().current == challenger
    assert world.rental(holder).state == RentalState.ENDED


def test_attack__holder_that_is_a_program__is_compensated_by_nobody(world: World) -> None:
    """Paid in tokens, but the order that displaces it pays in SOL."""
    held(world)
    challenger = challenged(world, mint=WSOL)
    world.run(GRACE)
    make_program(world, RENTER)
    event = world.act(preempt(world)).events[-1]
    assert isinstance(event, events.RentalTookOver)
    assert event.rental == challenger and event.compensation_kept == event.compensation > 0


def test_attack__bid_of_a_program__is_beaten(world: World) -> None:
    held(world)
    register_stranger(world)
    beaten = challenged(world, mint=WSOL)
    make_program(world, TENANT)
    world.act(outbid(world, STRANGER))
    assert world.listing().challenger != beaten and world.rental(beaten).state == RentalState.ENDED


def test_attack__bid_of_a_program__is_removed(world: World) -> None:
    held(world)
    bid = challenged(world, mint=WSOL)
    make_program(world, TENANT)
    world.wait(GRACE + HOUR)
    world.act(withdraw_challenger(world, bid, caller=KEEPER))
    assert world.rental(bid).state == RentalState.ENDED


def test_attack__holder_that_left_is_a_program__keeps_nobody_waiting(world: World) -> None:
    rental = held(world, may_finish=True)
    challenger = challenged(world, mint=WSOL)
    world.run(1)
    world.act(world.finish_rental(rental))
    make_program(world, RENTER)
    event = world.act(take_over(world)).event(events.RentalTookOver)
    assert event.rental == challenger and event.compensation_kept == event.compensation > 0


def test_attack__host_that_is_a_program__loses_the_holdback_to_fees(world: World) -> None:
    rental = finished(world, mint=WSOL)
    make_program(world, HOST)
    world.wait(DAY)
    with expect(errors.PayeeNotPayable):
        world.act(world.release_holdback(rental))
    world.wait(WINDOWS)
    event = world.act(world.release_holdback(rental)).event(events.HoldbackReleased)
    assert event.kept == event.amount > 0 and not world.exists(rental)


def test_attack__host_that_is_a_program__loses_its_charges_to_fees(world: World) -> None:
    meter = metered(world, mint=WSOL)
    reported(world, meter)
    world.act(world.stop_rental(read(world, meter).rental))
    make_program(world, HOST)
    world.wait(WINDOWS)
    event = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert event.paid_now == 0 and event.kept > 0 and event.refunded > 0


def test_request__of_a_program__waits_with_its_deposit(world: World) -> None:
    request = requested(world, mint=WSOL)
    make_program(world, RENTER)
    for act in (world.match_request(request), world.cancel_request(request)):
        with expect(errors.PayeeNotPayable):
            world.act(act)
    assert world.exists(request)
