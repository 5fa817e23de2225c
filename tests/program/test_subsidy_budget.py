"""A host's machines draw no more subsidy in a day than its budget, which no rival can use up. Invariant MKT-13."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_kind import RentalKind

from .harness.actors import GPUM, HOST, LISTING, LISTINGS, RENTER, RIVAL, RIVAL_LISTING, TENANT, USDC
from .harness.changes import approve_host, seeded_rates
from .harness.endings import ENDINGS, FINISH, Ending
from .harness.flows import matched, opened, requested, running
from .harness.outcome import expect
from .harness.spot import GRACE, challenged, held, preempt, withdraw_challenger
from .harness.terms import DAY, HOUR
from .harness.world import World

RATES = seeded_rates(GPUM)
WHOLE = RATES.subsidy_of(HOUR)
"""Subsidy that an hour of a seeded machine draws."""
RETURNING = [each for each in (*ENDINGS, FINISH) if each.name != "finalize_rental"]
"""Endings of rentals that have not earned all of their subsidy."""
MIDNIGHT = -(-1_800_000_000 // DAY) * DAY


@pytest.fixture
def world(world: World) -> World:
    """The host may draw an hour's subsidy and a half a day, and a new day has just begun."""
    world.act(approve_host(budget=WHOLE * 3 // 2))
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    return world


def drawn(world: World, renter: Pubkey = RENTER, **order: object) -> int:
    """Subsidy that a new order draws of the pool."""
    return world.act(world.open_rental(renter, **order)).event(events.RentalOpened).subsidy


def test_budget__order__is_booked_with_its_host(world: World) -> None:
    seq = world.host().seq
    event = world.act(world.open_rental()).event(events.RentalOpened)
    assert (event.subsidy, event.host_booked, event.host_seq) == (WHOLE, WHOLE, seq + 1)
    host = world.host()
    assert (host.subsidy_booked, host.subsidy_day) == (WHOLE, world.now // DAY)
    assert world.rental(world.listing().current).subsidy_day == world.now // DAY


def test_budget__many_machines_of_one_host__draw_no_more_together(world: World) -> None:
    """Eight orders of a second wallet: the second has what is left spread over its time, and the others pay in full."""
    found = [drawn(world, TENANT, listing=listing) for listing in LISTINGS]
    assert found[0] == WHOLE and WHOLE // 2 - 2 <= found[1] <= WHOLE // 2
    assert sum(found) <= world.host().subsidy_budget
    assert found[2:] == [0] * 6
    rental = world.rental(world.listing(LISTINGS[2]).current)
    assert (rental.rate, rental.subsidy_rate, rental.subsidy_day) == (seeded_rates(GPUM, subsidy_bps=0).rate, 0, 0)


def test_budget__what_is_left__is_one_rate_for_the_whole_time(world: World) -> None:
    drawn(world)
    event = world.act(world.open_rental(listing=LISTINGS[1], duration=2 * HOUR)).event(events.RentalOpened)
    left = world.host().subsidy_budget - WHOLE
    assert event.subsidy_rate == left // 2
    assert left - 2 <= event.subsidy <= left


def test_budget__large_refundable_orders__lock_no_more_than_it(world: World) -> None:
    """Three orders of $100 machines used to reserve the whole pool until they were withdrawn."""
    pool = world.vault().subsidy_pool
    for listing in LISTINGS[:3]:
        world.act(world.open_rental(TENANT, listing, kind=RentalKind.RESERVED, duration=90 * DAY))
    assert 0 < pool - world.vault().subsidy_pool <= world.host().subsidy_budget


def test_budget__closing_and_creating_machines__draws_no_more(world: World) -> None:
    total = drawn(world, TENANT)
    rental = world.listing().current
    world.act(world.accept_rental(rental), world.start_rental(rental))
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    for listing in LISTINGS[:3]:
        world.act(instructions.close_listing(authority=HOST, listing=listing, host=find_host(HOST)[0]))
        created = world.act(world.create_listing()).event(events.ListingCreated).listing
        world.act(world.heartbeat(HOST, created))
        total += drawn(world, TENANT, listing=created)
    assert WHOLE < total <= world.host().subsidy_budget


def test_budget__other_hosts__have_their_own(world: World) -> None:
    for listing in LISTINGS[:2]:
        drawn(world, listing=listing)
    world.act(world.heartbeat(RIVAL, RIVAL_LISTING))
    assert drawn(world, listing=RIVAL_LISTING) == WHOLE


def test_budget__other_mints__need_none(world: World) -> None:
    seq = world.host().seq
    event = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened)
    assert (event.subsidy, event.host_seq, event.host_booked, world.host().seq) == (0, 0, 0, seq)


def test_budget__order_and_withdraw__leaves_a_rivals_budget_as_it_was(world: World) -> None:
    """Whoever orders every machine and takes the orders back, for 40,000 lamports, keeps nobody from the subsidy."""
    for listing in LISTINGS:
        closed = world.act(world.stop_rental(opened(world, TENANT, listing=listing))).event(events.RentalClosed)
        assert closed.refunded == closed.deposit and closed.subsidy_returned == WHOLE
    assert world.host().subsidy_booked == 0
    assert drawn(world, listing=LISTINGS[-1]) == WHOLE


def test_budget__order_start_and_stop__books_the_least_charge(world: World) -> None:
    for listing in LISTINGS:
        world.act(world.stop_rental(running(world, TENANT, listing=listing)))
    assert world.host().subsidy_booked == len(LISTINGS) * RATES.subsidy_of(60)
    assert drawn(world, listing=LISTINGS[-1]) == WHOLE


def test_budget__closed_machine__has_given_it_back_before(world: World) -> None:
    world.act(world.stop_rental(opened(world, listing=LISTINGS[1])))
    outcome = world.act(instructions.close_listing(authority=HOST, listing=LISTINGS[1], host=find_host(HOST)[0]))
    assert [type(event) for event in outcome.events] == [events.ListingClosed]
    assert world.host().subsidy_booked == 0


@pytest.mark.parametrize("ending", RETURNING, ids=str)
def test_budget__ending_without_the_host__is_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    with expect(errors.HostMissing):
        world.act(ending.act(world, rental, host=None))
    world.act(ending.act(world, rental))


@pytest.mark.parametrize("ending", [*ENDINGS, FINISH], ids=str)
def test_budget__ending_with_another_host__is_refused(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    with expect(errors.WrongHost):
        world.act(ending.act(world, rental, host=find_host(RIVAL)[0]))


def test_budget__order_that_waited_without_the_host__is_refused(world: World) -> None:
    held(world, TENANT)
    waits = challenged(world, RENTER, kind=RentalKind.ON_DEMAND, bid=0, duration=HOUR)
    world.wait(1)
    with expect(errors.HostMissing):
        world.act(withdraw_challenger(world, waits, host=None))


def test_budget__of_another_day_or_all_earned__needs_no_host(world: World) -> None:
    """So whoever has brought no host is kept from no such ending."""
    earned = running(world)
    world.run(HOUR)
    world.act(world.finalize_rental(earned, host=None))
    world.wait(DAY - HOUR - 1)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = opened(world)
    world.wait(1)
    world.act(world.stop_rental(rental, host=None))


@pytest.mark.parametrize("seconds", [1, HOUR // 2, HOUR - 1])
def test_budget__unearned_part__returns_with_the_ending(world: World, seconds: int) -> None:
    rental = running(world)
    world.run(seconds)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.subsidy_returned == WHOLE - RATES.subsidy_of(max(seconds, 60))
    assert event.host_booked == RATES.subsidy_of(max(seconds, 60)) == world.host().subsidy_booked
    assert event.host_seq == world.host().seq


def test_budget__order_that_waited__returns_it_too(world: World) -> None:
    held(world, TENANT, mint=USDC)
    waits = challenged(world, RENTER, kind=RentalKind.ON_DEMAND, bid=0, duration=HOUR)
    assert world.host().subsidy_booked == WHOLE
    world.wait(1)
    closed = world.act(withdraw_challenger(world, waits)).events[0]
    assert isinstance(closed, events.RentalClosed)
    assert (closed.subsidy_returned, closed.host_booked, closed.host_seq) == (WHOLE, 0, world.host().seq)
    assert world.host().subsidy_booked == 0


def test_budget__order_that_takes_over_the_next_day__returns_nothing_to_that_day(world: World) -> None:
    """Its time to start begins at the hand-over, its subsidy was drawn the day before."""
    world.wait(DAY - GRACE)
    world.act(world.heartbeat(HOST, *LISTINGS))
    held(world, TENANT, mint=USDC)
    waits = challenged(world, RENTER, kind=RentalKind.ON_DEMAND, bid=0, duration=HOUR)
    world.run(GRACE)
    world.act(preempt(world))
    drawn(world, TENANT, listing=LISTINGS[1])
    booked = world.host().subsidy_booked
    event = world.act(world.stop_rental(waits)).event(events.RentalClosed)
    assert event.reason is CloseReason.WITHDRAWN and event.subsidy_returned == WHOLE - RATES.subsidy_of(60)
    assert (event.host_booked, event.host_seq, world.host().subsidy_booked) == (0, 0, booked)


def test_budget__midnight__begins_anew_and_gives_nothing_back(world: World) -> None:
    """An order of the last second that is withdrawn in the first one of the next day does not double its budget."""
    world.wait(DAY - 1)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = opened(world, TENANT)
    rest = drawn(world, TENANT, listing=LISTINGS[1])
    assert drawn(world, TENANT, listing=LISTINGS[2]) == 0 < rest
    world.wait(1)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed).host_seq == 0
    assert drawn(world, TENANT) == WHOLE
    assert drawn(world, TENANT, listing=LISTINGS[3]) == rest
    assert drawn(world, TENANT, listing=LISTINGS[4]) == 0


def test_budget__extension__draws_on_it_or_is_refused(world: World) -> None:
    rental = running(world)
    event = world.act(world.extend_rental(rental, HOUR // 4)).event(events.RentalExtended)
    assert event.host_booked == WHOLE + event.subsidy_added == world.host().subsidy_booked
    assert event.host_seq == world.host().seq
    with expect(errors.SubsidyBudgetSpent):
        world.act(world.extend_rental(rental, HOUR // 3))
    world.act(world.extend_rental(rental, HOUR // 4 - 1))


def test_budget__extension_on_the_next_day__draws_all_that_may_return(world: World) -> None:
    """Else a stop would give that day's budget more than it has paid."""
    world.wait(DAY - HOUR // 2)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = running(world)
    world.run(HOUR // 2)
    world.act(world.extend_rental(rental, 60))
    booked = world.host().subsidy_booked
    assert booked == RATES.subsidy_of(HOUR + 60) - RATES.subsidy_of(HOUR // 2)
    closed = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert closed.host_booked == booked - closed.subsidy_returned == 0


def test_attack__extension_on_the_next_day__books_no_use_of_the_day_before(world: World) -> None:
    """A minute more of a long rental, of which nothing has been settled, used up the budget of the whole day."""
    most, used = 23 * HOUR, 22 * HOUR + HOUR // 2
    world.act(approve_host(budget=RATES.subsidy_of(24 * HOUR)))
    world.run(2 * HOUR)
    rental = running(world, TENANT, duration=most)
    world.run(used)
    event = world.act(world.extend_rental(rental, 60)).event(events.RentalExtended)
    assert event.host_booked == RATES.subsidy_of(most + 60) - RATES.subsidy_of(used)
    assert event.host_booked <= RATES.subsidy_of(HOUR)


@pytest.mark.parametrize("late", [0, 1, 200])
def test_budget__extension_on_the_next_day_of_a_host_that_goes_silent__returns_no_more_than_it_booked(
    world: World, late: int
) -> None:
    """Use since the host was last heard from may still return."""
    world.wait(DAY - HOUR // 2)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = running(world)
    world.run(HOUR // 2)
    world.wait(late)
    booked = world.act(world.extend_rental(rental, 60)).event(events.RentalExtended).host_booked
    assert booked == RATES.subsidy_of(HOUR + 60) - RATES.subsidy_of(HOUR // 2)
    world.fall_silent()
    closed = world.act(world.report_offline(rental)).event(events.RentalClosed)
    assert (closed.used, closed.subsidy_returned, closed.host_booked) == (HOUR // 2, booked, 0)


def test_budget__extension_on_the_next_day_and_stop__leaves_a_rivals_budget_almost_whole(world: World) -> None:
    world.wait(DAY - 60)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = running(world, TENANT)
    world.run(60)
    world.act(world.settle_rental(rental))
    world.act(world.extend_rental(rental, HOUR // 4))
    world.act(world.stop_rental(rental))
    assert world.host().subsidy_booked <= 1
    assert drawn(world, listing=LISTING) >= WHOLE - 1


def test_budget__request__draws_on_the_host_that_it_is_matched_with(world: World) -> None:
    rental = matched(world, requested(world))
    assert world.host().subsidy_booked == WHOLE
    assert world.rental(rental).subsidy_day == world.now // DAY


@pytest.mark.parametrize("budget", [0, 1])
def test_budget__host_without_one__is_rented_at_the_full_price(world: World, budget: int) -> None:
    world.act(approve_host(budget=budget))
    rental = world.rental(opened(world))
    assert rental.subsidy_rate <= budget and rental.burn_rate > 0


def test_budget__lowered__applies_at_once(world: World) -> None:
    drawn(world)
    world.act(approve_host(budget=WHOLE - 1))
    assert drawn(world, listing=LISTINGS[1]) == 0
    world.act(approve_host(budget=WHOLE + 7))
    assert drawn(world, listing=LISTINGS[2]) <= 7
