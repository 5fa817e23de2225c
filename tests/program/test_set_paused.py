"""set_paused: stops new orders, supply or prices; money keeps finding its way back. Invariants MKT-6, MKT-7, MKT-10."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.constants import GUARDIAN_PAUSE, GUARDIAN_PAUSE_GAP
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.rules.market import is_paused, paused_until
from tests.markets.spec import SPEC

from .harness.actors import AUTHORITY, GUARDIAN, HOST, LISTING, LISTINGS, MARKET, ORACLE, STRANGER, WSOL
from .harness.changes import set_paused
from .harness.cluster import START
from .harness.flows import accepted, opened, running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World


def pause_everything(world: World) -> None:
    world.act(*(set_paused(area) for area in PauseArea))


@pytest.mark.parametrize("signer", [AUTHORITY, GUARDIAN])
@pytest.mark.parametrize("area", PauseArea)
def test_set_paused__authority_or_guardian__pauses_that_area_only(
    world: World, area: PauseArea, signer: Pubkey
) -> None:
    seq = world.market().seq
    outcome = world.act(set_paused(area, caller=signer))
    market, until = world.market(), 0 if signer == AUTHORITY else START + GUARDIAN_PAUSE
    assert [is_paused(market, each, START) for each in PauseArea] == [each == area for each in PauseArea]
    assert (market.paused, market.guardian_paused_until[area]) == (1 << area if until == 0 else 0, until)
    assert outcome.event(events.PauseChanged) == events.PauseChanged(
        market=MARKET, area=area, old=False, new=True, until=until, by=signer, at=START, seq=seq + 1
    )


@pytest.mark.parametrize("area", PauseArea)
def test_set_paused__authority__resumes_that_area_only(world: World, area: PauseArea) -> None:
    pause_everything(world)
    event = world.act(set_paused(area, False)).event(events.PauseChanged)
    assert (event.old, event.new) == (True, False)
    assert world.market().paused == 0b111 & ~(1 << area)


def test_set_paused__paused_already__says_so(world: World) -> None:
    world.act(set_paused(PauseArea.ORDERS))
    event = world.act(set_paused(PauseArea.ORDERS)).event(events.PauseChanged)
    assert (event.old, event.new) == (True, True)


@pytest.mark.parametrize("left", [1, 0])
def test_set_paused__guardians_pause__expires(world: World, left: int) -> None:
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    world.wait(GUARDIAN_PAUSE - left)
    assert paused_until(world.market(), PauseArea.HOSTS, world.now) == (world.now + 1 if left else None)
    if left:
        with expect(errors.Paused):
            world.act(world.create_listing())
    else:
        world.act(world.create_listing())


def test_set_paused__authoritys_pause__does_not_expire(world: World) -> None:
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN), set_paused(PauseArea.HOSTS))
    assert paused_until(world.market(), PauseArea.HOSTS, world.now) is None
    world.wait(100 * GUARDIAN_PAUSE)
    with expect(errors.Paused):
        world.act(world.create_listing())


def test_set_paused__guardian_again__waits_as_long_as_the_pause_lasted(world: World) -> None:
    """One key cannot keep the market closed; other areas have turns of their own."""
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    for seconds in (0, GUARDIAN_PAUSE, GUARDIAN_PAUSE_GAP - 1):
        world.wait(seconds)
        with expect(errors.PauseTooSoon):
            world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    world.act(set_paused(PauseArea.ORDERS, caller=GUARDIAN))
    world.wait(1)
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))


def test_set_paused__guardians_pause_that_was_resumed__is_over_and_the_gap_begins(world: World) -> None:
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    world.wait(1_000)
    event = world.act(set_paused(PauseArea.HOSTS, paused=False)).event(events.PauseChanged)
    assert (event.old, event.new, event.until) == (True, False, 0)
    world.act(world.create_listing())
    world.wait(GUARDIAN_PAUSE_GAP - 1)
    with expect(errors.PauseTooSoon):
        world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    world.wait(1)
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))


def test_set_paused__resumed_before_any_pause__leaves_the_guardian_their_first(world: World) -> None:
    world.act(set_paused(PauseArea.HOSTS, paused=False))
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))


def test_set_paused__guardian_resumes__is_refused(world: World) -> None:
    pause_everything(world)
    with expect(errors.Unauthorized):
        world.act(set_paused(PauseArea.ORDERS, False, caller=GUARDIAN))


@pytest.mark.parametrize("paused", [True, False])
def test_set_paused__stranger__is_refused(world: World, paused: bool) -> None:
    with expect(errors.Unauthorized):
        world.act(set_paused(PauseArea.ORDERS, paused, caller=STRANGER))


def test_set_paused__orders__stops_opening_and_extending(world: World) -> None:
    rental = running(world)
    world.act(set_paused(PauseArea.ORDERS))
    with expect(errors.Paused):
        world.act(world.open_rental(listing=LISTINGS[1]))
    with expect(errors.Paused):
        world.act(world.extend_rental(rental))


def test_set_paused__hosts__stops_registering_and_listing(world: World) -> None:
    world.act(set_paused(PauseArea.HOSTS))
    with expect(errors.Paused):
        world.act(instructions.register_host(authority=STRANGER, seal_key=bytes(STRANGER)))
    with expect(errors.Paused):
        world.act(world.create_listing())


def test_set_paused__prices__stops_posting(world: World) -> None:
    world.act(set_paused(PauseArea.PRICES))
    with expect(errors.Paused):
        world.act(instructions.post_price(oracle=ORACLE, payment_mint=find_payment_mint(WSOL)[0], price=1))


def test_set_paused__everything__every_rental_still_ends_with_its_money(world: World) -> None:
    queued = opened(world, listing=LISTINGS[1])
    late = opened(world, listing=LISTINGS[2])
    provisioning = accepted(world, listing=LISTINGS[3])
    stopped, expired, silent = (running(world, listing=listing) for listing in LISTINGS[4:7])
    pause_everything(world)
    world.act(world.accept_rental(queued))
    world.act(world.start_rental(queued))
    world.act(world.cancel_rental(provisioning, CloseReason.HOST_MAINTENANCE))
    world.run(901, HOST, LISTINGS[1])
    world.act(world.mark_silent(LISTINGS[6]))
    world.wait(60)
    world.act(world.heartbeat(HOST, LISTINGS[4], LISTINGS[5]))
    world.act(world.settle_rental(stopped), world.rate_rental(stopped))
    world.act(world.stop_rental(stopped), world.cancel_unstarted(late), world.report_offline(silent))
    world.run(HOUR, HOST, LISTINGS[5])
    world.act(world.finalize_rental(expired), world.finalize_rental(queued), world.sweep_fees())
    assert not world.audit.books.open_rentals
    assert world.vault().liabilities == 0


def test_set_paused__everything__hosts_still_change_and_close_listings(world: World) -> None:
    pause_everything(world)
    world.act(instructions.update_listing(authority=HOST, listing=LISTING, spec=SPEC))
    world.act(instructions.close_listing(authority=HOST, listing=LISTING, listing_data=world.listing()))
    assert not world.exists(LISTING)
