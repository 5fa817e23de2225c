"""heartbeat: a host shows that its listings are up. Invariants RNT-7, HST-7."""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.listing_beat import ListingBeat
from anchor_client.generated.types.silence import Silence

from .harness.actors import HOST, LISTING, LISTINGS, RIVAL, RIVAL_LISTING, STRANGER
from .harness.changes import approve_host
from .harness.flows import opened, running
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY
from .harness.world import World

OFFLINE_AFTER = 300
ANSWER_WINDOW = 60


@pytest.mark.parametrize("count", [1, 2, 8])
def test_heartbeat__listings__count_the_time_since_the_last(world: World, count: int) -> None:
    listings = LISTINGS[:count]
    seqs = [world.listing(listing).seq for listing in listings]
    host_seq = world.host().seq
    world.wait(120)
    event = world.act(world.heartbeat(HOST, *listings)).event(events.HostHeartbeat)
    assert event == events.HostHeartbeat(
        host=find_host(HOST)[0],
        at=world.now,
        tracked_seconds=120 * count,
        up_seconds=120 * count,
        seq=host_seq + 1,
        listings=tuple(ListingBeat(120, 120, seq + 1, id, 0) for id, seq in enumerate(seqs)),
    )
    for listing in listings:
        state = world.listing(listing)
        assert (state.last_heartbeat_at, state.tracked_seconds, state.up_seconds) == (world.now, 120, 120)
    assert (world.host().tracked_seconds, world.host().up_seconds) == (120 * count, 120 * count)


@pytest.mark.parametrize("gap", [1, OFFLINE_AFTER, OFFLINE_AFTER + 1, DAY])
def test_heartbeat__gap_that_nobody_marked__counts_as_up(world: World, gap: int) -> None:
    world.wait(gap)
    world.act(world.heartbeat())
    listing = world.listing()
    assert (listing.tracked_seconds, listing.up_seconds) == (gap, gap)


def test_heartbeat__answer_to_a_mark__counts_as_up(world: World) -> None:
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW - 1)
    world.act(world.heartbeat())
    listing = world.listing()
    assert (listing.silence, listing.up_seconds) == (Silence.HEARD, OFFLINE_AFTER + ANSWER_WINDOW)


@pytest.mark.parametrize("proven", [False, True])
def test_heartbeat__after_a_silence__counts_it_as_down(world: World, proven: bool) -> None:
    world.run(100)
    world.fall_silent()
    if proven:
        world.act(world.mark_silent())
        world.wait(DAY)
    silence = world.now - world.listing().last_heartbeat_at
    world.act(world.heartbeat())
    listing = world.listing()
    assert (listing.silence, listing.tracked_seconds, listing.up_seconds) == (Silence.HEARD, 100 + silence, 100)
    assert (world.host().tracked_seconds, world.host().up_seconds) == (100 + silence, 100)


@pytest.mark.parametrize("late", [0, 1])
def test_heartbeat__silence_under_a_rental__is_final_once_the_mark_is_unanswered(world: World, late: int) -> None:
    rental = running(world)
    world.run(600)
    heard = world.now
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW - 1 + late)
    world.act(world.heartbeat())
    assert world.listing().last_heartbeat_at == (heard if late else world.now)
    world.act(world.settle_rental(rental))
    assert world.rental(rental).settled == (600 if late else 600 + OFFLINE_AFTER + ANSWER_WINDOW)
    closed = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert closed.reason == (CloseReason.HOST_OFFLINE if late else CloseReason.STOPPED)
    assert world.listing().silence == (Silence.PROVEN if late else Silence.HEARD)
    world.wait(1)
    world.act(world.heartbeat())
    assert (world.listing().last_heartbeat_at, world.listing().silence) == (world.now, Silence.HEARD)


def test_heartbeat__clock_goes_back__keeps_the_later(world: World) -> None:
    world.run(100)
    heard = world.now
    world.wait(-15)
    assert world.act(world.heartbeat()).events == ()
    assert world.listing().last_heartbeat_at == heard


def test_heartbeat__first_of_a_listing__starts_the_count(world: World) -> None:
    world.act(world.create_listing(RIVAL))
    listing = find_listing(find_host(RIVAL)[0], 1)[0]
    world.wait(50)
    world.act(world.heartbeat(RIVAL, listing))
    state = world.listing(listing)
    assert (state.last_heartbeat_at, state.tracked_seconds) == (world.now, 0)


def test_heartbeat__host_unapproved__still_counts(world: World) -> None:
    world.act(approve_host(approved=False))
    world.run(10)
    assert world.listing().up_seconds == 10


def test_heartbeat__no_listing__is_refused(world: World) -> None:
    with expect(errors.InvalidHeartbeat):
        world.act(instructions.heartbeat(operator=HOST, host=find_host(HOST)[0]))


@pytest.mark.parametrize("order", [(0, 0), (0, 1, 0), (1, 0, 0)])
def test_heartbeat__listing_named_twice__counts_once(world: World, order: tuple[int, ...]) -> None:
    world.wait(30)
    event = world.act(world.heartbeat(HOST, *(LISTINGS[index] for index in order))).event(events.HostHeartbeat)
    assert [beat.id for beat in event.listings] == list(dict.fromkeys(order))
    assert world.host().up_seconds == 30 * len(set(order))
    assert world.listing().up_seconds == 30


def test_heartbeat__again_in_the_same_second__changes_nothing(world: World) -> None:
    world.run(30)
    host, listing = world.host(), world.listing()
    outcome = world.act(world.heartbeat())
    assert outcome.events == ()
    assert (world.host(), world.listing()) == (host, listing)


def test_heartbeat__some_heard_this_second__names_the_others(world: World) -> None:
    world.run(30)
    event = world.act(world.heartbeat(HOST, *LISTINGS[:3])).event(events.HostHeartbeat)
    assert [beat.id for beat in event.listings] == [1, 2]


def test_heartbeat__listing_of_another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(world.heartbeat(HOST, LISTING, RIVAL_LISTING))


def test_heartbeat__host_account_of_another__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(world.heartbeat(RIVAL, RIVAL_LISTING, host=find_host(HOST)[0]))


def test_heartbeat__read_only_listing__is_refused(world: World) -> None:
    meta = AccountMeta(LISTING, is_signer=False, is_writable=False)
    with expect_refusal():
        world.act(instructions.heartbeat(operator=HOST, host=find_host(HOST)[0], remaining_accounts=[meta]))


def test_heartbeat__something_else_than_a_listing__is_refused(world: World) -> None:
    rental = opened(world)
    forged = world.cluster.account(LISTING)
    assert forged is not None
    world.cluster.set_account(address("forged listing"), Account(forged.lamports, forged.data, STRANGER))
    for other in (rental, find_host(HOST)[0], find_host(RIVAL)[0], address("forged listing"), address("nothing"), HOST):
        with expect_refusal():
            world.act(_naming(other))


def _naming(other: Pubkey) -> Instruction:
    metas = [AccountMeta(key, is_signer=False, is_writable=True) for key in (LISTING, other)]
    return instructions.heartbeat(operator=HOST, host=find_host(HOST)[0], remaining_accounts=metas)
