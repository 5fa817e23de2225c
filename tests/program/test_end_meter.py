"""end_meter: anyone notes that the rental has ended, which starts the time of the last report. Invariant CHG-4."""

from __future__ import annotations

from solders.system_program import TransferParams, transfer

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_meter

from .harness import spot
from .harness.actors import LISTING, STRANGER, TENANT
from .harness.charges import (
    CAP,
    WINDOW,
    close_meter,
    end_meter,
    ended,
    metered,
    open_meter,
    read,
    reported,
    set_charges,
)
from .harness.flows import opened
from .harness.outcome import expect
from .harness.world import World


def test_end_meter__rental_gone__notes_the_end(world: World) -> None:
    meter = metered(world)
    rental = read(world, meter).rental
    world.act(world.stop_rental(rental))
    world.wait(10)
    event = world.act(end_meter(world, meter)).event(events.MeterEnded)
    assert event == events.MeterEnded(meter=meter, rental=rental, report_by=world.now + WINDOW, at=world.now, seq=2)
    assert read(world, meter).ended_at == world.now


def test_end_meter__transaction_that_ends_the_rental__takes_both(world: World) -> None:
    meter = ended(world, metered(world))
    assert read(world, meter).ended_at == world.now


def test_end_meter__never_started__works_too(world: World) -> None:
    meter = metered(world)
    world.act(world.stop_rental(read(world, meter).rental))
    rental = opened(world)
    world.act(open_meter(world, rental))
    world.act(world.stop_rental(rental), end_meter(world, find_meter(rental)[0], rental=rental))


def test_end_meter__rental_still_there__is_refused(world: World) -> None:
    meter = metered(world)
    with expect(errors.RentalNotEnded):
        world.act(end_meter(world, meter))


def test_end_meter__again__is_refused(world: World) -> None:
    meter = ended(world, metered(world))
    with expect(errors.MeterEnded):
        world.act(end_meter(world, meter))


def test_end_meter__lamports_at_the_dead_address__change_nothing(world: World) -> None:
    meter = metered(world)
    rental = read(world, meter).rental
    world.act(world.stop_rental(rental))
    world.cluster.observers.clear()
    world.act(transfer(TransferParams(from_pubkey=STRANGER, to_pubkey=rental, lamports=10**9)))
    world.act(end_meter(world, meter))
    assert read(world, meter).ended_at == world.now


def test_end_meter__another_account__is_refused(world: World) -> None:
    meter = metered(world)
    for other in (STRANGER, LISTING):
        with expect(errors.WrongRental):
            world.act(end_meter(world, meter, rental=other))


def test_end_meter__holder_preempted__divides_the_cap_as_ever(world: World) -> None:
    world.act(set_charges())
    rental = spot.held(world)
    world.act(open_meter(world, rental))
    meter = reported(world, find_meter(rental)[0])
    spot.challenged(world)
    world.run(spot.GRACE)
    world.act(spot.preempt(world), end_meter(world, meter))
    world.wait(WINDOW + 1)
    assert world.act(close_meter(world, meter)).event(events.MeterClosed).paid > 0


def test_end_meter__bid_withdrawn__gives_the_cap_back(world: World) -> None:
    world.act(set_charges())
    spot.held(world)
    bid = spot.challenged(world)
    world.act(open_meter(world, bid))
    meter = find_meter(bid)[0]
    world.wait(1)
    world.act(spot.withdraw_challenger(world, bid), end_meter(world, meter))
    world.wait(WINDOW + 1)
    closed = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (closed.renter, closed.refunded) == (TENANT, CAP)
