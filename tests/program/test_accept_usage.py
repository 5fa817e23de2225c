"""accept_usage: the renter agrees to what is pending or disputed, which can be paid at once. Invariant CHG-3."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events

from .harness.actors import GPUM, HOST, STRANGER, TENANT
from .harness.charges import FREE_MB, accept_usage, disputed, metered, read, report_usage, reported, settle_meter
from .harness.outcome import expect
from .harness.world import World


def test_accept_usage__pending__is_paid_at_once(world: World) -> None:
    meter = reported(world, metered(world))
    amount, before = read(world, meter).pending, world.tokens(HOST, GPUM)
    outcome = world.act(accept_usage(world, meter))
    assert outcome.event(events.UsageAccepted) == events.UsageAccepted(
        meter=meter, rental=read(world, meter).rental, amount=amount, accepted=amount, at=world.now, seq=3
    )
    world.act(settle_meter(world, meter))
    assert world.tokens(HOST, GPUM) == before + amount


def test_accept_usage__disputed_and_pending__takes_both(world: World) -> None:
    meter = disputed(world, metered(world))
    world.act(report_usage(world, meter, FREE_MB + 2_000))
    state = read(world, meter)
    event = world.act(accept_usage(world, meter)).event(events.UsageAccepted)
    assert event.amount == state.pending + state.disputed
    assert (read(world, meter).pending, read(world, meter).disputed) == (0, 0)


def test_accept_usage__nothing_reported__is_refused(world: World) -> None:
    meter = metered(world)
    with expect(errors.NothingToAccept):
        world.act(accept_usage(world, meter))
    world.act(accept_usage(world, reported(world, meter)))
    with expect(errors.NothingToAccept):
        world.act(accept_usage(world, meter))


@pytest.mark.parametrize("signer", [HOST, TENANT, STRANGER])
def test_accept_usage__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    meter = reported(world, metered(world))
    with expect(errors.WrongRenter):
        world.act(accept_usage(world, meter, renter=signer))
