"""resolve_dispute: anyone drops what the renter disputed and did not accept in time. Invariant CHG-3."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from anchor_client.generated import errors, events

from .harness.charges import (
    CAP,
    WINDOW,
    dispute_usage,
    disputed,
    metered,
    read,
    report_usage,
    reported,
    resolve_dispute,
)
from .harness.outcome import expect
from .harness.terms import U64_MAX
from .harness.world import World


@pytest.mark.parametrize("late", [0, 1])
def test_resolve_dispute__after_the_window__drops_the_amount(world: World, late: int) -> None:
    meter = disputed(world, metered(world))
    amount = read(world, meter).disputed
    world.wait(WINDOW + late)
    with nullcontext() if late else expect(errors.DisputeOpen):
        event = world.act(resolve_dispute(meter)).event(events.DisputeResolved)
        assert event == events.DisputeResolved(
            meter=meter, rental=read(world, meter).rental, dropped=amount, at=world.now, seq=4
        )
        assert read(world, meter).disputed == 0


def test_resolve_dispute__nothing_disputed__is_refused(world: World) -> None:
    meter = reported(world, metered(world))
    world.wait(WINDOW + 1)
    with expect(errors.NothingDisputed):
        world.act(resolve_dispute(meter))


def test_resolve_dispute__dropped_usage__is_not_charged_by_later_reports(world: World) -> None:
    meter = metered(world)
    world.act(report_usage(world, meter, U64_MAX - 1))
    world.act(dispute_usage(world, meter))
    world.wait(WINDOW + 1)
    world.act(resolve_dispute(meter))
    event = world.act(report_usage(world, meter, U64_MAX)).event(events.UsageReported)
    assert (event.added, event.pending) == (0, 0)
    assert read(world, meter).cap == CAP
