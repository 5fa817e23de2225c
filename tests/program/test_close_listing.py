"""close_listing: the host takes an idle machine off the market. Invariants SYS-4, HST-10."""

from __future__ import annotations

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host, find_listing

from .harness.actors import HOST, LISTING, LISTINGS, RIVAL, RIVAL_LISTING
from .harness.cluster import START
from .harness.flows import accepted, opened, running
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, HOUR
from .harness.world import World


def close(authority: Pubkey = HOST, listing: Pubkey = LISTING, host: Pubkey = HOST) -> Instruction:
    return instructions.close_listing(authority=authority, listing=listing, host=find_host(host)[0])


def test_close_listing__idle__goes_and_its_rent_returns(world: World) -> None:
    host, listing = world.host(), world.listing()
    outcome = world.act(close())
    assert not world.exists(LISTING)
    before = outcome.before[LISTING]
    assert before is not None and outcome.lamports_gained(HOST) == before.lamports
    assert outcome.event(events.ListingClosed) == events.ListingClosed(
        listing=LISTING,
        host=find_host(HOST)[0],
        at=START,
        seq=listing.seq + 1,
        host_seq=host.seq + 1,
        host_points=host.points - 200,
        tracked_seconds=0,
        up_seconds=0,
        host_tracked_seconds=0,
        host_up_seconds=0,
    )
    assert (world.host().open_listings, world.host().next_listing) == (len(LISTINGS) - 1, len(LISTINGS))


def test_close_listing__occupied_in_any_state__is_refused(world: World) -> None:
    for bring, listing in zip((opened, accepted, running), LISTINGS, strict=False):
        bring(world, listing=listing)
        with expect(errors.ListingOccupied):
            world.act(close(listing=listing))


def test_close_listing__after_its_rental__works_and_leaves_its_counts_to_the_host(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    weight = world.act(world.rate_rental(rental, 3)).event(events.RentalRated).weight
    world.act(world.finalize_rental(rental))
    counted, closed = world.act(close()).events
    assert isinstance(counted, events.HostCounted) and isinstance(closed, events.ListingClosed)
    assert not world.exists(LISTING)
    host = world.host()
    assert (host.rating_sum, host.rating_weight, host.completed, host.failed) == (3 * weight, weight, 1, 0)


@pytest.mark.parametrize("proven", [False, True])
def test_close_listing__after_a_gap__counts_it_as_a_heartbeat_would(world: World, proven: bool) -> None:
    world.run(100)
    if proven:
        world.fall_silent()
        world.act(world.mark_silent())
    world.wait(5 * DAY)
    passed = world.now - START
    event = world.act(close()).event(events.ListingClosed)
    up = 100 if proven else passed
    assert (event.tracked_seconds, event.up_seconds) == (passed, up)
    assert (event.host_tracked_seconds, event.host_up_seconds) == (passed, up)
    assert (world.host().tracked_seconds, world.host().up_seconds) == (passed, up)


def test_close_listing__never_heard_from__counts_no_time(world: World) -> None:
    world.act(world.create_listing())
    world.wait(DAY)
    new = find_listing(find_host(HOST)[0], len(LISTINGS))[0]
    assert world.act(close(listing=new)).event(events.ListingClosed).tracked_seconds == 0


def test_close_listing__closed__takes_no_more_acts(world: World) -> None:
    order = world.open_rental()
    world.act(close())
    for act in (close(), order, world.heartbeat(operator=HOST)):
        with expect_refusal():
            world.act(act)


def test_close_listing__another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(close(RIVAL))


def test_close_listing__host_account_of_another__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(close(host=RIVAL))
    with expect(errors.WrongHost):
        world.act(close(RIVAL, RIVAL_LISTING, HOST))
