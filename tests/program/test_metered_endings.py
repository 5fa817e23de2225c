"""Endings of a rental that has a meter: each takes it along and notes the end. Invariants CHG-3 to CHG-6, RNT-19."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_meter

from .harness import spot
from .harness.actors import KEEPER, LISTINGS, STRANGER, TENANT
from .harness.charges import (
    CAP,
    STORAGE_GB,
    WINDOW,
    close_meter,
    dispute_usage,
    metered,
    open_meter,
    read,
    report_usage,
    reported,
    set_charges,
    settle_meter,
)
from .harness.flows import opened, running
from .harness.outcome import expect
from .harness.terms import DAY, HOUR, MINUTE
from .harness.world import World


@dataclass(frozen=True, slots=True)
class Ending:
    """`prepare` gives a rental with a meter that `act` may end now; `field` is how `act` calls the meter."""

    name: str
    prepare: Callable[[World], Pubkey]
    act: Callable[..., Instruction]
    field: str = "meter"

    def __str__(self) -> str:
        return self.name

    def by(self, world: World, rental: Pubkey, *, meter: Pubkey | None) -> Instruction:
        return self.act(world, rental, **{self.field: meter})


def _with_meter(world: World, rental: Pubkey) -> Pubkey:
    world.act(set_charges(), open_meter(world, rental))
    return rental


def _used(world: World, seconds: int = HOUR // 2) -> Pubkey:
    rental = _with_meter(world, running(world, may_finish=True))
    world.run(seconds)
    return rental


def _gone_silent(world: World) -> Pubkey:
    rental = _used(world)
    world.fall_silent()
    return rental


def _never_started(world: World) -> Pubkey:
    rental = _with_meter(world, opened(world))
    world.run(901)
    return rental


def _challenged(world: World) -> Pubkey:
    rental = _with_meter(world, spot.held(world))
    spot.challenged(world)
    world.run(spot.GRACE)
    return rental


def _waiting(world: World) -> Pubkey:
    spot.held(world)
    spot.register_stranger(world)
    rental = _with_meter(world, spot.challenged(world))
    world.wait(1)
    return rental


def _on_listing(act: Callable[..., Instruction]) -> Callable[..., Instruction]:
    """The act on a listing, called like one on the rental that it ends."""

    def on_rental(world: World, _rental: Pubkey, **accounts: Any) -> Instruction:
        return act(world, **accounts)

    return on_rental


ENDINGS = (
    Ending("stop_rental", _used, World.stop_rental),
    Ending("stop_rental, never started", _never_started, World.stop_rental),
    Ending("cancel_rental", _used, World.cancel_rental),
    Ending("finish_rental", _used, World.finish_rental),
    Ending("cancel_unstarted", _never_started, World.cancel_unstarted),
    Ending("finalize_rental", lambda world: _used(world, HOUR), World.finalize_rental),
    Ending("report_offline", _gone_silent, World.report_offline),
    Ending("preempt", _challenged, _on_listing(spot.preempt)),
    Ending("withdraw_challenger", _waiting, spot.withdraw_challenger),
    Ending("outbid", _waiting, _on_listing(spot.outbid), "beaten_meter"),
)
every_ending = pytest.mark.parametrize("ending", ENDINGS, ids=str)


@every_ending
def test_ending__meter__notes_the_end_and_gives_the_cap_back(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    meter, state = find_meter(rental)[0], world.rental(rental)
    outcome = world.act(ending.by(world, rental, meter=meter))
    used = next(e.used for e in outcome.events if isinstance(e, events.RentalClosed) and e.rental == rental)
    paid_until = state.started_at + used if state.started_at else 0
    [event] = [event for event in outcome.events if isinstance(event, events.MeterEnded)]
    assert event == events.MeterEnded(
        meter=meter,
        rental=rental,
        report_by=world.now + WINDOW,
        at=world.now,
        seq=2,
        paid_until=paid_until,
    )
    assert (read(world, meter).ended_at, read(world, meter).paid_until) == (world.now, paid_until)
    world.wait(WINDOW + 1)
    closed = world.act(close_meter(world, meter)).event(events.MeterClosed)
    assert (closed.renter, closed.refunded) == (state.renter, CAP)


@pytest.mark.parametrize("proven", [False, True])
def test_attack__storage_of_a_silence_reported_before_its_proof__is_refused(world: World, proven: bool) -> None:
    """The machine reports, but sends no heartbeats; once its silence is proven they count for nothing."""
    rental = _gone_silent(world)
    meter = find_meter(rental)[0]
    if proven:
        world.act(world.mark_silent())
        world.act(world.heartbeat())
    heard = world.listing().last_heartbeat_at - read(world, meter).stored_from
    assert 0 < heard < world.now - read(world, meter).stored_from
    limit = STORAGE_GB * heard // HOUR
    with expect(errors.StorageAboveLimit):
        world.act(report_usage(world, meter, 0, limit + 1))
    world.act(report_usage(world, meter, 1, limit))
    world.act(world.report_offline(rental, meter=meter))
    world.act(report_usage(world, meter, 2, limit))


def test_attack__storage_of_proven_silence__is_not_charged(world: World) -> None:
    """Nobody had the machine's word for the time between its last heartbeat and the proof of its silence."""
    rental = _gone_silent(world)
    meter = find_meter(rental)[0]
    outcome = world.act(world.report_offline(rental, meter=meter))
    used = next(event.used for event in outcome.events if isinstance(event, events.RentalClosed))
    limit = STORAGE_GB * used // HOUR
    assert world.now - read(world, meter).stored_from > used
    with expect(errors.StorageAboveLimit):
        world.act(report_usage(world, meter, 0, limit + 1))
    world.act(report_usage(world, meter, 0, limit))


@every_ending
def test_attack__ending_without_the_meter__is_refused(world: World, ending: Ending) -> None:
    """Whoever gains by it could leave the end unknown: the host to charge on, the renter to bar a last report."""
    rental = ending.prepare(world)
    with expect(errors.MeterMissing):
        world.act(ending.by(world, rental, meter=None))


@every_ending
def test_attack__ending_with_the_meter_of_another_rental__is_refused(world: World, ending: Ending) -> None:
    other = metered(world, TENANT, listing=LISTINGS[1])
    rental = ending.prepare(world)
    with expect(errors.WrongRental):
        world.act(ending.by(world, rental, meter=other))
    assert read(world, other).ended_at == 0


def test_attack__ending_of_a_rental_without_meter__ends_no_other(world: World) -> None:
    other = metered(world, TENANT, listing=LISTINGS[1])
    rental = running(world)
    with expect(errors.WrongRental):
        world.act(world.stop_rental(rental, meter=other))


def test_attack__stopped_early__is_charged_no_storage_after_the_end(world: World) -> None:
    """A day's rental stopped after ten minutes cost the storage of a day: nobody had noted its end."""
    meter = metered(world, duration=DAY)
    world.run(10 * MINUTE)
    world.act(world.stop_rental(read(world, meter).rental))
    world.wait(DAY)
    used = STORAGE_GB * 10 * MINUTE // HOUR
    for above in (1, STORAGE_GB * DAY // HOUR - used):
        with expect(errors.StorageAboveLimit):
            world.act(report_usage(world, meter, 0, used + above))
    world.act(report_usage(world, meter, 0, used))


def test_attack__end_by_a_stranger__does_not_restart_the_window(world: World) -> None:
    """Reported usage becomes the host's when it would have without the end."""
    meter = reported(world, metered(world))
    before = read(world, meter)
    world.wait(WINDOW)
    world.act(world.heartbeat(), world.finalize_rental(before.rental, caller=STRANGER))
    assert (read(world, meter).reported_at, read(world, meter).pending) == (before.reported_at, before.pending)
    world.wait(1)
    with expect(errors.NothingToDispute):
        world.act(dispute_usage(world, meter))
    assert world.act(settle_meter(world, meter)).event(events.MeterSettled).paid == before.pending


def test_attack__record_of_an_ended_rental__does_not_end_the_meter_again(world: World) -> None:
    """Closing the account of a finished rental a day later would give its host another window."""
    rental = _used(world)
    meter = find_meter(rental)[0]
    world.act(world.finish_rental(rental))
    ended_at = world.now
    world.wait(DAY)
    world.act(world.release_holdback(rental, caller=KEEPER))
    assert read(world, meter).ended_at == ended_at
    world.wait(1)
    with expect(errors.ReportTooLate):
        world.act(report_usage(world, meter, 1))


def test_ending__started_after_the_meter_opened__can_be_charged_afterwards(world: World) -> None:
    """Also where nobody has reported while it ran."""
    rental = opened(world)
    _with_meter(world, rental)
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.run(HOUR // 2)
    world.act(world.stop_rental(rental))
    event = world.act(report_usage(world, find_meter(rental)[0], 0, STORAGE_GB // 2)).event(events.UsageReported)
    assert event.added > 0
