"""dispute_usage: the renter freezes what is pending, within its window. Invariant CHG-3."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events

from .harness.actors import HOST, STRANGER, TENANT
from .harness.charges import (
    FREE_MB,
    WINDOW,
    accept_usage,
    dispute_usage,
    disputed,
    metered,
    read,
    report_usage,
    reported,
    settle_meter,
)
from .harness.outcome import expect
from .harness.world import World


def test_dispute_usage__renter__freezes_what_is_pending(world: World) -> None:
    meter = reported(world, metered(world))
    amount = read(world, meter).pending
    event = world.act(dispute_usage(world, meter)).event(events.UsageDisputed)
    assert event == events.UsageDisputed(
        meter=meter,
        rental=read(world, meter).rental,
        amount=amount,
        accepted=0,
        pending=0,
        disputed=amount,
        resolve_by=world.now + WINDOW,
        at=world.now,
        seq=3,
    )
    world.wait(WINDOW + 1)
    assert world.act(settle_meter(world, meter)).events == ()


@pytest.mark.parametrize("late", [0, 1])
def test_dispute_usage__window__includes_its_last_second(world: World, late: int) -> None:
    meter = reported(world, metered(world))
    world.wait(WINDOW + late)
    with expect(errors.NothingToDispute) if late else nullcontext():
        world.act(dispute_usage(world, meter))


def test_dispute_usage__nothing_pending__is_refused(world: World) -> None:
    meter = metered(world)
    with expect(errors.NothingToDispute):
        world.act(dispute_usage(world, meter))
    world.act(accept_usage(world, reported(world, meter)))
    with expect(errors.NothingToDispute):
        world.act(dispute_usage(world, meter))


def test_dispute_usage__again__adds_to_what_is_disputed(world: World) -> None:
    meter = disputed(world, metered(world))
    first = read(world, meter).disputed
    world.wait(100)
    world.act(report_usage(world, meter, FREE_MB + 3_000))
    event = world.act(dispute_usage(world, meter)).event(events.UsageDisputed)
    assert event.disputed == first + event.amount
    assert event.resolve_by == world.now + WINDOW


@pytest.mark.parametrize("signer", [HOST, TENANT, STRANGER])
def test_dispute_usage__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    meter = reported(world, metered(world))
    with expect(errors.WrongRenter):
        world.act(dispute_usage(world, meter, renter=signer))
