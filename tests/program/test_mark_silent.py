"""mark_silent: silence is proven, not assumed. Invariants SYS-3, HST-7, RNT-6, RNT-7, RNT-17."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.silence import Silence

from .harness.actors import HOST, LISTING, LISTINGS, RENTER, RIVAL
from .harness.changes import set_parameter
from .harness.flows import running
from .harness.outcome import expect
from .harness.spot import challenged, held, take_over
from .harness.terms import DAY, HOUR
from .harness.world import World

OFFLINE_AFTER = 300
ANSWER_WINDOW = 60
ANSWER_SLOTS = 150


def hurry(world: World) -> None:
    """The market gives hosts the least time to answer from now on."""
    world.act(set_parameter(MarketParameter.ANSWER_SLOTS, 75), set_parameter(MarketParameter.ANSWER_WINDOW, 30))


def marked(world: World) -> None:
    """The host has just been marked; nobody has heard from it since."""
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())


def test_mark_silent__overdue__gives_the_host_time_to_answer(world: World) -> None:
    world.wait(OFFLINE_AFTER + 1)
    before = world.listing()
    event = world.act(world.mark_silent()).event(events.ListingMarked)
    assert event == events.ListingMarked(
        listing=LISTING,
        host=find_host(HOST)[0],
        silence=Silence.MARKED,
        last_heartbeat_at=before.last_heartbeat_at,
        answer_by=world.now + ANSWER_WINDOW,
        answer_slot=world.cluster.slot + ANSWER_SLOTS,
        at=world.now,
        seq=before.seq + 1,
    )
    listing = world.listing()
    assert (listing.silence, listing.marked_at, listing.last_heartbeat_at) == (
        Silence.MARKED,
        world.now,
        before.last_heartbeat_at,
    )


def test_mark_silent__unanswered__is_proven_until_the_next_heartbeat(world: World) -> None:
    world.fall_silent()
    assert world.act(world.mark_silent()).event(events.ListingMarked).silence is Silence.PROVEN
    world.wait(30 * DAY)
    with expect(errors.AlreadySilent):
        world.act(world.mark_silent())
    with expect(errors.ListingOffline):
        world.act(world.open_rental())
    world.act(world.heartbeat())
    world.act(world.open_rental())


@pytest.mark.parametrize("rented", [False, True])
def test_mark_silent__heard_in_time__is_refused(world: World, rented: bool) -> None:
    if rented:
        running(world)
    world.wait(OFFLINE_AFTER)
    with expect(errors.HostOnline):
        world.act(world.mark_silent())
    world.wait(1)
    world.act(world.mark_silent())


def test_mark_silent__never_heard_from__is_refused(world: World) -> None:
    world.act(world.create_listing(RIVAL))
    world.wait(DAY)
    with expect(errors.HostOnline):
        world.act(world.mark_silent(find_listing(find_host(RIVAL)[0], 1)[0]))


@pytest.mark.parametrize("rented", [False, True])
def test_mark_silent__limit_changed_since__is_the_rentals_own_or_the_markets(world: World, rented: bool) -> None:
    if rented:
        running(world)
    world.act(set_parameter(MarketParameter.OFFLINE_AFTER, 5))
    world.wait(OFFLINE_AFTER)
    if rented:
        with expect(errors.HostOnline):
            world.act(world.mark_silent())
    else:
        world.act(world.mark_silent())


def test_mark_silent__window_changed_since__is_that_of_the_mark(world: World) -> None:
    rental = running(world)
    marked(world)
    hurry(world)
    world.wait(ANSWER_WINDOW - 1)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))


@pytest.mark.parametrize("rented", [False, True])
def test_mark_silent__window_changed_before__is_the_rentals_own_or_the_markets(world: World, rented: bool) -> None:
    """Invariant RNT-6."""
    if rented:
        running(world)
    hurry(world)
    world.wait(OFFLINE_AFTER + 1)
    event = world.act(world.mark_silent()).event(events.ListingMarked)
    window, slots = (ANSWER_WINDOW, ANSWER_SLOTS) if rented else (30, 75)
    assert (event.answer_by, event.answer_slot) == (world.now + window, world.cluster.slot + slots)


def test_mark_silent__window_changed_while_an_order_waits__is_new_with_its_turn(world: World) -> None:
    holder = held(world)
    challenged(world)
    hurry(world)
    assert world.listing().answer_window == ANSWER_WINDOW
    world.act(world.stop_rental(holder))
    world.act(take_over(world))
    assert (world.listing().answer_window, world.listing().answer_slots) == (30, 75)


def test_mark_silent__spam__is_one_mark_per_limit(world: World) -> None:
    """However often anyone marks a host that answers, one heartbeat per limit is all that it takes."""
    for _ in range(20):
        marked(world)
        for _ in range(3):
            world.wait(5)
            with expect(errors.AnswerPending):
                world.act(world.mark_silent())
        world.act(world.heartbeat())
        for passed in (1, OFFLINE_AFTER - 1):
            world.wait(passed)
            with expect(errors.HostOnline):
                world.act(world.mark_silent())
        world.act(world.heartbeat())
    listing = world.listing()
    assert listing.up_seconds == listing.tracked_seconds > 20 * OFFLINE_AFTER


def test_mark_silent__spam_on_others__touches_no_other_listing(world: World) -> None:
    world.wait(OFFLINE_AFTER + 1)
    world.act(*(world.mark_silent(listing) for listing in LISTINGS[1:]))
    world.act(world.heartbeat())
    assert world.listing().silence == Silence.HEARD
    assert all(world.listing(listing).silence == Silence.MARKED for listing in LISTINGS[1:])


def _no_blocks(world: World, seconds: int) -> None:
    world.cluster.halt(seconds)


def _no_transactions(world: World, seconds: int) -> None:
    world.wait(seconds)


def _slow_blocks(world: World, seconds: int) -> None:
    world.cluster.halt(seconds, slots=seconds // 2)


@pytest.mark.parametrize("seconds", [600, 3 * HOUR])
@pytest.mark.parametrize("outage", [_no_blocks, _no_transactions, _slow_blocks])
def test_outage__hosts_that_were_up__lose_nothing(
    world: World, outage: Callable[[World, int], None], seconds: int
) -> None:
    """The clock jumps past all limits; whoever comes first afterwards gains nothing by it."""
    rentals = [running(world, listing=listing, duration=DAY) for listing in LISTINGS]
    world.wait(100)
    world.act(world.heartbeat(HOST, *LISTINGS))
    outage(world, seconds)
    for rental in rentals:
        with expect(errors.HostOnline):
            world.act(world.report_offline(rental))
    world.act(*(world.mark_silent(listing) for listing in LISTINGS))
    world.wait(5)
    world.act(world.heartbeat(HOST, *LISTINGS))
    world.wait(ANSWER_WINDOW)
    for rental in rentals:
        with expect(errors.HostOnline):
            world.act(world.report_offline(rental))
        closed = world.act(world.stop_rental(rental)).event(events.RentalClosed)
        assert (closed.reason, closed.used) == (CloseReason.STOPPED, 100 + seconds + 5 + ANSWER_WINDOW)
    world.act(world.heartbeat(HOST, *LISTINGS))
    assert world.host().up_seconds == world.host().tracked_seconds > 0
    assert all(world.listing(listing).failed == 0 for listing in LISTINGS)


@pytest.mark.parametrize("seconds", [1, ANSWER_WINDOW, 2 * ANSWER_WINDOW - 5, 2 * ANSWER_WINDOW, 600, 3 * HOUR])
def test_outage__mark_just_before_a_halt__leaves_time_to_answer(world: World, seconds: int) -> None:
    rental = running(world, duration=DAY)
    marked(world)
    world.cluster.halt(seconds)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))
    world.wait(2)
    assert world.act(world.heartbeat()).events
    world.wait(ANSWER_WINDOW)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))


@pytest.mark.parametrize("seconds", [2 * ANSWER_WINDOW, 600, 3 * HOUR])
def test_outage__mark_just_before_blocks_without_transactions__is_void(world: World, seconds: int) -> None:
    """Slots go on, as in Alpenglow's migration, but the host cannot answer."""
    rental = running(world, duration=DAY)
    marked(world)
    world.wait(seconds)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))
    world.act(world.mark_silent())
    world.wait(2)
    world.act(world.heartbeat())
    closed = world.act(world.stop_rental(rental, caller=RENTER)).event(events.RentalClosed)
    assert closed.reason is CloseReason.STOPPED
    assert world.listing().up_seconds == world.listing().tracked_seconds


@pytest.mark.parametrize(("slots", "silent"), [(ANSWER_SLOTS - 1, False), (ANSWER_SLOTS, True)])
def test_outage__slow_blocks__the_window_lasts_its_slots(world: World, slots: int, silent: bool) -> None:
    rental = running(world)
    marked(world)
    world.cluster.halt(ANSWER_WINDOW, slots)
    if silent:
        world.act(world.report_offline(rental))
    else:
        with expect(errors.HostOnline):
            world.act(world.report_offline(rental))


def test_outage__slots_without_seconds__end_no_window(world: World) -> None:
    rental = running(world)
    marked(world)
    world.cluster.skip_slots(1_000_000)
    with expect(errors.HostOnline):
        world.act(world.report_offline(rental))
