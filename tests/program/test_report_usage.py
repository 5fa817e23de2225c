"""report_usage: the host's totals, priced, clamped to the cap and open to dispute.

Invariants CHG-1, CHG-2, CHG-4, CHG-5, HST-8.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_meter, find_rental

from .harness.actors import HOST, LISTING, LISTINGS, RENTER, RIVAL, STRANGER, TENANT, USDC
from .harness.charges import (
    CAP,
    FREE_MB,
    STORAGE_GB,
    WINDOW,
    accept_usage,
    close_meter,
    disputed,
    ended,
    metered,
    open_meter,
    read,
    report_usage,
    reported,
    set_charges,
)
from .harness.cluster import FIRST_NONCE
from .harness.flows import accepted, opened
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, HOUR, U64_MAX
from .harness.world import World

TB_RATE = 20_003_000
"""Base units of USDC per TB, as the seeded charges are: a thousand MB cost 20,003."""


@pytest.mark.parametrize(
    ("extra_mb", "added"), [(-1, 0), (0, 0), (1, 20), (2, 40), (49, 980), (50, 1_000), (1_000, 20_003)]
)
def test_report_usage__around_the_allowance__prices_what_is_above(world: World, extra_mb: int, added: int) -> None:
    meter = metered(world, mint=USDC)
    world.run(600)
    event = world.act(report_usage(world, meter, FREE_MB + extra_mb)).event(events.UsageReported)
    assert event == events.UsageReported(
        meter=meter,
        rental=read(world, meter).rental,
        bandwidth_mb=FREE_MB + extra_mb,
        storage_gb_hours=0,
        added=added,
        accepted=0,
        pending=added,
        disputed=0,
        dispute_by=(world.now if added else 0) + WINDOW,
        at=world.now,
        seq=2,
        paid_until=read(world, meter).opened_at + HOUR,
    )
    state = read(world, meter)
    assert (state.bandwidth_mb, state.pending, state.accepted) == (FREE_MB + extra_mb, added, 0)


@pytest.mark.parametrize("above", [-1, 0, 1])
def test_report_usage__around_the_cap__is_clamped_to_it(world: World, above: int) -> None:
    meter = metered(world, mint=USDC)
    reaching = -(-CAP * 10**6 // TB_RATE) + above
    world.act(report_usage(world, meter, FREE_MB + reaching))
    expected = min(TB_RATE * reaching // 10**6, CAP)
    assert read(world, meter).pending == expected
    assert (expected == CAP) == (above >= 0)


def test_report_usage__beyond_all_numbers__is_clamped_to_the_cap(world: World) -> None:
    meter = metered(world)
    world.act(report_usage(world, meter, U64_MAX))
    assert read(world, meter).pending == CAP
    world.act(accept_usage(world, meter))
    assert read(world, meter).accepted == CAP


def test_report_usage__in_steps__charges_what_one_report_would(world: World) -> None:
    one, steps = metered(world, mint=USDC), (1, 7, 49, 333, 1_000)
    for extra in steps:
        world.act(report_usage(world, one, FREE_MB + extra))
    assert read(world, one).pending == 20_003


@pytest.mark.parametrize("above", [0, 1])
def test_report_usage__storage__is_bounded_by_the_time_passed(world: World, above: int) -> None:
    meter = metered(world, mint=USDC)
    world.run(HOUR // 3)
    limit = STORAGE_GB // 3
    with expect(errors.StorageAboveLimit) if above else nullcontext():
        event = world.act(report_usage(world, meter, 0, limit + above)).event(events.UsageReported)
        assert event.added == 137 * limit


def test_report_usage__storage_after_the_end__does_not_grow(world: World) -> None:
    meter = metered(world)
    world.run(HOUR // 2)
    ended(world, meter)
    world.wait(HOUR)
    with expect(errors.StorageAboveLimit):
        world.act(report_usage(world, meter, 0, STORAGE_GB // 2 + 1))
    world.act(report_usage(world, meter, 0, STORAGE_GB // 2))


@pytest.mark.parametrize("above", [0, 1])
def test_attack__order_that_waits_for_its_start__pays_no_storage_for_it(world: World, above: int) -> None:
    rental = opened(world)
    world.act(set_charges(), open_meter(world, rental))
    meter = find_meter(rental)[0]
    world.run(600)
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.run(HOUR // 3)
    with expect(errors.StorageAboveLimit) if above else nullcontext():
        world.act(report_usage(world, meter, 0, STORAGE_GB // 3 + above))
        assert read(world, meter).stored_from == world.rental(rental).started_at


@pytest.mark.parametrize("totals", [(999, 10), (1_001, 9), (1_000, 10), (0, 0)])
def test_report_usage__totals_that_do_not_grow__are_refused(world: World, totals: tuple[int, int]) -> None:
    meter = metered(world)
    world.run(HOUR // 2)
    world.act(report_usage(world, meter, 1_000, 10))
    with expect(errors.UsageNotGrowing):
        world.act(report_usage(world, meter, *totals))


@pytest.mark.parametrize("late", [0, 1])
def test_report_usage__after_the_end__has_the_window_for_a_last_one(world: World, late: int) -> None:
    meter = ended(world, metered(world))
    world.wait(WINDOW + late)
    with expect(errors.ReportTooLate) if late else nullcontext():
        world.act(report_usage(world, meter, FREE_MB + 10))


def test_report_usage__next_one__starts_the_window_of_all_that_is_pending(world: World) -> None:
    meter = reported(world, metered(world))
    first = read(world, meter).pending
    world.wait(WINDOW)
    event = world.act(report_usage(world, meter, FREE_MB + 2_000)).event(events.UsageReported)
    assert event.accepted == 0 and event.pending == first + event.added
    assert event.dispute_by == world.now + WINDOW


def test_report_usage__after_the_window__accepts_what_was_pending(world: World) -> None:
    meter = reported(world, metered(world))
    first = read(world, meter).pending
    world.wait(WINDOW + 1)
    event = world.act(report_usage(world, meter, FREE_MB + 2_000)).event(events.UsageReported)
    assert (event.accepted, event.pending) == (first, event.added)


def test_report_usage__during_a_dispute__is_pending_by_itself(world: World) -> None:
    meter = disputed(world, metered(world))
    event = world.act(report_usage(world, meter, FREE_MB + 2_000)).event(events.UsageReported)
    assert event.disputed > 0 and event.pending == event.added > 0


@pytest.mark.parametrize("signer", [RENTER, RIVAL, STRANGER])
def test_report_usage__not_the_operator__is_refused(world: World, signer: Pubkey) -> None:
    meter = metered(world)
    with expect(errors.WrongOperator):
        world.act(report_usage(world, meter, 1, operator=signer))


def test_report_usage__something_else_than_a_meter__is_refused(world: World) -> None:
    meter = metered(world)
    rental = read(world, meter).rental
    for other in (rental, HOST, world.listing().host):
        with expect_refusal():
            act = instructions.report_usage(
                operator=HOST, meter=other, rental=rental, listing=LISTING, bandwidth_mb=1, storage_gb_hours=0
            )
            world.act(act)


def test_report_usage__storage_after_the_paid_time__does_not_grow(world: World) -> None:
    """Nobody has ended it for a month, in which its machine went on."""
    meter = metered(world)
    world.run(HOUR)
    world.wait(30 * DAY)
    world.act(world.heartbeat())
    with expect(errors.StorageAboveLimit):
        world.act(report_usage(world, meter, 0, STORAGE_GB + 1))
    event = world.act(report_usage(world, meter, 0, STORAGE_GB)).event(events.UsageReported)
    assert event.paid_until == world.now - 30 * DAY


@pytest.mark.parametrize("ending", [World.stop_rental, World.cancel_unstarted])
def test_report_usage__rental_that_never_started__is_charged_nothing(
    world: World, ending: Callable[[World, Pubkey], Instruction]
) -> None:
    """A host could charge the whole cap for traffic of an order that it had not even accepted."""
    world.act(set_charges())
    rental = opened(world)
    world.act(open_meter(world, rental))
    meter = find_meter(rental)[0]
    for later in (1, 901):
        world.run(later)
        with expect(errors.RentalNotStarted):
            world.act(report_usage(world, meter, U64_MAX))
    world.act(ending(world, rental))
    for totals in ((U64_MAX, 0), (0, 1)):
        with expect(errors.RentalNotStarted):
            world.act(report_usage(world, meter, *totals))
    world.wait(WINDOW + 1)
    assert world.act(close_meter(world, meter)).event(events.MeterClosed).refunded == CAP


@pytest.mark.parametrize("ended", [False, True])
def test_report_usage__extended__reaches_to_the_new_end(world: World, ended: bool) -> None:
    meter = metered(world)
    rental = read(world, meter).rental
    world.act(world.extend_rental(rental, HOUR))
    world.run(2 * HOUR)
    if ended:
        world.act(world.finalize_rental(rental))
    with expect(errors.StorageAboveLimit):
        world.act(report_usage(world, meter, 0, 2 * STORAGE_GB + 1))
    event = world.act(report_usage(world, meter, 0, 2 * STORAGE_GB)).event(events.UsageReported)
    assert event.paid_until == world.now


def test_report_usage__started_after_the_meter_opened__charges_from_the_start(world: World) -> None:
    world.act(set_charges())
    rental = accepted(world)
    world.act(open_meter(world, rental))
    meter = find_meter(rental)[0]
    world.act(world.start_rental(rental), report_usage(world, meter, FREE_MB + 1))
    assert read(world, meter).paid_until == world.rental(rental).started_at + HOUR
    assert read(world, meter).pending > 0


def test_report_usage__another_rental__is_refused(world: World) -> None:
    meter = metered(world)
    other = opened(world, TENANT, listing=LISTINGS[1])
    for account in (other, find_rental(TENANT, FIRST_NONCE + 9)[0]):
        with expect(errors.WrongRental):
            world.act(report_usage(world, meter, 1, rental=account))
