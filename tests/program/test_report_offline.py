"""report_offline: anyone ends a rental whose host has gone silent; the holdback compensates the renter.

Invariants RNT-6, RNT-7.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import HOST, KEEPER, MINTS, RENTER, STRANGER, WSOL
from .harness.changes import set_parameter
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World

OFFLINE_AFTER = 300
ANSWER_WINDOW = 60
TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("signer", [KEEPER, RENTER, HOST, STRANGER])
def test_report_offline__anyone__pays_to_the_last_heartbeat(world: World, mint: Pubkey, signer: Pubkey) -> None:
    rental = running(world, mint=mint)
    world.run(1_000)
    world.fall_silent()
    expected = closed(world, rental, used=1_000, reason=CloseReason.HOST_OFFLINE, caller=signer)
    outcome = world.act(world.report_offline(rental, caller=signer))
    assert outcome.event(events.RentalClosed) == expected
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded
    assert (world.listing().failed, world.listing().completed) == (1, 0)
    if signer != RENTER:
        paid = expected.paid_now if mint == WSOL and signer == HOST else 0
        assert outcome.lamports_gained(signer) == TIP + paid


def test_report_offline__never_heard_from_since_the_start__refunds_everything(world: World) -> None:
    rental = running(world)
    world.fall_silent()
    expected = closed(world, rental, used=0, reason=CloseReason.HOST_OFFLINE, caller=KEEPER)
    assert expected.refunded == expected.deposit
    assert world.act(world.report_offline(rental)).event(events.RentalClosed) == expected


def test_report_offline__nobody_marked_the_silence__is_refused(world: World) -> None:
    rental = running(world)
    world.run(500)
    world.wait(1_000)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))


def test_report_offline__host_may_still_answer__is_refused(world: World) -> None:
    rental = running(world)
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW - 1)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))
    world.wait(1)
    world.act(world.report_offline(rental))


def test_report_offline__limit_changed_since__is_the_rentals_own(world: World) -> None:
    rental = running(world)
    world.act(set_parameter(MarketParameter.OFFLINE_AFTER, 5))
    world.wait(OFFLINE_AFTER)
    with expect(errors.HostOnline):
        world.act(world.mark_silent())
    world.fall_silent()
    world.act(world.report_offline(rental))


def test_report_offline__silent_only_after_the_end__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    world.fall_silent()
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))


def test_report_offline__silent_before_the_end__works_after_it_too(world: World) -> None:
    rental = running(world)
    world.run(1_000)
    world.wait(10 * HOUR)
    world.fall_silent()
    expected = closed(world, rental, used=1_000, reason=CloseReason.HOST_OFFLINE, caller=KEEPER)
    assert world.act(world.report_offline(rental)).event(events.RentalClosed) == expected


def test_report_offline__after_settling__takes_nothing_back(world: World) -> None:
    rental = running(world)
    world.run(1_000)
    world.act(world.settle_rental(rental))
    world.fall_silent()
    expected = closed(world, rental, used=1_000, reason=CloseReason.HOST_OFFLINE, caller=KEEPER)
    assert expected.paid_now == 0 < expected.paid
    assert world.act(world.report_offline(rental)).event(events.RentalClosed) == expected


@pytest.mark.parametrize("bring", [opened, accepted])
def test_report_offline__not_running__is_refused(world: World, bring: Flow) -> None:
    rental = bring(world)
    world.fall_silent()
    with expect(errors.WrongRentalState):
        world.act(world.report_offline(rental))
