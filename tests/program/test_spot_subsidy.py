"""A spot order is subsidised as one on demand is, and costs no more. Invariants MKT-11, MKT-13, MKT-15, MKT-16."""

from __future__ import annotations

from itertools import pairwise

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events
from anchor_client.generated.pdas import find_host, find_rental, find_renter_profile
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.payment_tokens import payout_bump
from tests.docs.collusion import break_even_bps
from tests.markets.spec import ON_DEMAND_USD, spec_with

from .harness.actors import GPUM, HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, RIVAL, STRANGER, TENANT, USDC
from .harness.changes import approve_host, seeded_rates, set_terms
from .harness.flows import opened
from .harness.outcome import Outcome, expect
from .harness.reference import ceil_div
from .harness.spot import (
    BEST,
    GRACE,
    HELD_AT,
    LEAST,
    LONG,
    SPOT_FEE_BPS,
    challenged,
    held,
    outbid,
    place_bid,
    preempt,
    queued,
    register_stranger,
    withdraw_challenger,
)
from .harness.terms import DAY, HOUR
from .harness.tokens import payout_address
from .harness.world import World

MIDNIGHT = -(-1_800_000_000 // DAY) * DAY
MINIMUM = spec_with().spot_min_usd
PROVISION_TIMEOUT = 900
BURN_BPS = 2_000
MUCH = 10**15


def subsidy_of(bid: int) -> int:
    """Whole subsidy of a seeded bid."""
    return seeded_rates(GPUM, bid, SPOT_FEE_BPS).subsidy_of(LONG)


@pytest.fixture
def slot(world: World) -> World:
    """A new day has just begun, its budget is the subsidy of one bid, and a renter who draws none of it holds the
    machine."""
    register_stranger(world)
    world.act(approve_host(budget=subsidy_of(BEST)))
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    held(world, mint=USDC)
    return world


def drawn(world: World) -> tuple[int, int]:
    """Amounts of today's budget and of today's share of the pool that are drawn."""
    host, vault, today = world.host(), world.vault(), world.now // DAY
    return (
        host.subsidy_booked if host.subsidy_day == today else 0,
        vault.subsidy_drawn if vault.subsidy_day == today else 0,
    )


def closing(outcome: Outcome) -> events.RentalClosed:
    """The first event, by which a rental ends."""
    assert isinstance(outcome.events[0], events.RentalClosed)
    return outcome.events[0]


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("duration", [LONG, DAY, DAY + 1, 7 * DAY])
@pytest.mark.parametrize("bid", [MINIMUM, HELD_AT, ON_DEMAND_USD])
def test_spot__any_bid_and_time__costs_no_more_than_on_demand(
    world: World, mint: Pubkey, duration: int, bid: int
) -> None:
    """A bid without a subsidy cost three times as much in the market token."""
    spot = world.act(world.open_rental(kind=RentalKind.SPOT, bid=bid, mint=mint, duration=duration))
    world.act(world.stop_rental(world.listing().current))
    on_demand = world.act(world.open_rental(mint=mint, duration=duration))
    costs = [each.event(events.RentalOpened).deposit for each in (spot, on_demand)]
    assert costs[0] <= costs[1]


@pytest.mark.parametrize("bid", [MINIMUM, LEAST, ON_DEMAND_USD])
def test_spot__bid__is_subsidised_at_the_share_of_any_order(world: World, bid: int) -> None:
    rental = world.rental(opened(world, kind=RentalKind.SPOT, bid=bid, duration=LONG))
    rates = seeded_rates(GPUM, bid, SPOT_FEE_BPS)
    assert (rental.rate, rental.subsidy_rate, rental.burn_rate) == (rates.rate, rates.subsidy, rates.burn)
    assert drawn(world) == (rates.subsidy_of(LONG), rates.subsidy_of(LONG))


def test_bid__waits__escrows_its_compensation_without_a_subsidy(slot: World) -> None:
    rental = slot.rental(challenged(slot))
    spare = rental.deposit - ceil_div(rental.rate * LONG, HOUR)
    assert spare == ceil_div((rental.rate + rental.subsidy_rate) * rental.min_charge, HOUR) > 0 < rental.subsidy_rate


def test_outbid__leaves_the_whole_budget_to_the_better_bid(slot: World) -> None:
    challenged(slot)
    closed, better = slot.act(outbid(slot)).events
    assert isinstance(closed, events.RentalClosed) and isinstance(better, events.RentalOpened)
    assert (closed.subsidy_returned, closed.host_booked) == (subsidy_of(LEAST), 0)
    assert better.subsidy == better.host_booked == subsidy_of(BEST)
    assert (closed.host_seq + 1, better.host_seq) == (better.host_seq, slot.host().seq)
    assert drawn(slot) == (subsidy_of(BEST), subsidy_of(BEST))


def test_outbid__bid_of_another_token__returns_it_too(slot: World) -> None:
    challenged(slot)
    slot.act(outbid(slot, mint=USDC))
    assert drawn(slot) == (0, 0)


def test_attack__each_outbids_the_other__books_the_last_bid_alone(slot: World) -> None:
    """Two wallets that raise each other's bid use up neither the budget nor the pool's share."""
    slot.act(approve_host(budget=MUCH))
    bid, who = LEAST, (TENANT, STRANGER)
    challenged(slot, who[0], bid=bid)
    while (bid := bid + ceil_div(bid, 20)) <= ON_DEMAND_USD:
        who = who[::-1]
        slot.act(outbid(slot, who[0], bid=bid))
        assert drawn(slot) == (subsidy_of(bid), subsidy_of(bid))
    slot.run(GRACE)
    slot.act(preempt(slot))
    rental = slot.rental(slot.listing().current)
    slot.act(slot.stop_rental(slot.listing().current))
    least = ceil_div(rental.subsidy_rate * rental.min_charge, HOUR)
    assert drawn(slot) == (least, least)


def test_attack__two_bids_in_one_transaction__book_the_last_one_alone(slot: World) -> None:
    slot.act(approve_host(budget=MUCH))
    challenged(slot)
    first = find_rental(STRANGER, slot.profile(STRANGER).next_nonce)[0]
    raised = BEST + ceil_div(BEST, 20)
    again = outbid(
        slot,
        TENANT,
        bid=raised,
        beaten=first,
        beaten_renter=STRANGER,
        beaten_profile=find_renter_profile(STRANGER)[0],
        beaten_payout=payout_address(STRANGER, GPUM),
        bump=payout_bump(STRANGER, GPUM),
    )
    slot.act(outbid(slot, STRANGER), again)
    assert drawn(slot) == (subsidy_of(raised), subsidy_of(raised))


def test_attack__bids_and_withdrawals_of_a_day__use_up_neither_budget_nor_share(slot: World) -> None:
    for _ in range(4):
        waits = challenged(slot)
        assert drawn(slot) == (subsidy_of(LEAST), subsidy_of(LEAST))
        slot.run(1)
        slot.act(withdraw_challenger(slot, waits))
        assert drawn(slot) == (0, 0)
        slot.run(constants.GRACE_MEMORY + 1)
    slot.act(slot.heartbeat(HOST, *LISTINGS))
    whole = slot.act(slot.open_rental(listing=LISTINGS[1], kind=RentalKind.SPOT, bid=BEST, duration=LONG))
    assert whole.event(events.RentalOpened).subsidy == subsidy_of(BEST)


def test_bid__waited_in_vain__returns_all_of_it(slot: World) -> None:
    waits = challenged(slot)
    slot.wait(GRACE + PROVISION_TIMEOUT + 1)
    closed = closing(slot.act(withdraw_challenger(slot, waits, caller=KEEPER)))
    assert closed.reason is CloseReason.TAKE_OVER_TIMEOUT
    assert (closed.subsidy_returned, drawn(slot)) == (subsidy_of(LEAST), (0, 0))


def test_bid__withdrawn_the_next_day__returns_nothing_to_that_days_budget(world: World) -> None:
    world.wait(MIDNIGHT - 1 - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    held(world, mint=USDC)
    waits = challenged(world)
    world.wait(1)
    world.act(world.open_rental(RENTER, LISTINGS[1], kind=RentalKind.SPOT, bid=LEAST, duration=LONG))
    closed = closing(world.act(withdraw_challenger(world, waits)))
    assert (closed.subsidy_returned, closed.host_seq) == (subsidy_of(LEAST), 0)
    assert world.host().subsidy_booked == subsidy_of(LEAST)


def test_preempt__holder_that_never_started__returns_all_of_it(world: World) -> None:
    queued(world)
    challenged(world, mint=USDC)
    world.run(GRACE)
    closed = closing(world.act(preempt(world)))
    assert (closed.subsidy_returned, closed.host_booked) == (subsidy_of(HELD_AT), 0)
    assert drawn(world) == (0, 0)


def test_preempt__holder_that_ran__returns_what_it_has_not_earned(world: World) -> None:
    holder = world.rental(held(world))
    challenged(world, mint=USDC)
    world.run(GRACE)
    closed = closing(world.act(preempt(world)))
    rest = subsidy_of(HELD_AT) - closed.subsidy_returned
    assert rest == ceil_div(holder.subsidy_rate * GRACE, HOUR)
    assert (closed.host_booked, drawn(world)) == (rest, (rest, rest))


@pytest.mark.parametrize(("host", "error"), [(None, errors.HostMissing), (find_host(RIVAL)[0], errors.WrongHost)])
def test_preempt__subsidised_holder_without_its_host__is_refused(
    world: World, host: Pubkey | None, error: type[Exception]
) -> None:
    held(world)
    challenged(world)
    world.run(GRACE)
    with expect(error):
        world.act(preempt(world, host=host))
    world.act(preempt(world))


@pytest.mark.parametrize("orders", [1, 2])
def test_bid__holder_has_booked_the_budget__has_the_subsidy_that_is_left(world: World, orders: int) -> None:
    """The subsidy that the holder will return cannot be promised to the next: nobody may displace them in time."""
    world.wait(MIDNIGHT - world.now)
    booked = seeded_rates(GPUM, LEAST, SPOT_FEE_BPS).subsidy_of(DAY)
    whole = seeded_rates(GPUM, BEST, SPOT_FEE_BPS).subsidy
    world.act(approve_host(budget=orders * booked + subsidy_of(BEST)), world.heartbeat(HOST, *LISTINGS))
    held(world, bid=LEAST, duration=DAY)
    rental = world.rental(challenged(world, bid=BEST, duration=DAY))
    assert rental.subsidy_rate == (whole if orders == 2 else subsidy_of(BEST) * HOUR // DAY)
    assert drawn(world)[0] <= orders * booked + subsidy_of(BEST)


def displacing(world: World) -> list[events.RentalClosed]:
    """The pair's wallets displace each other at rising bids and at last in full; what each end divided."""
    held(world, TENANT, bid=MINIMUM)
    ends, wallets, bid = [], (TENANT, STRANGER), MINIMUM
    while (bid := bid + ceil_div(bid, 20)) <= ON_DEMAND_USD:
        wallets = wallets[::-1]
        world.act(place_bid(world, wallets[0], bid=bid))
        world.run(GRACE)
        ends.append(closing(world.act(preempt(world))))
        rental = world.listing().current
        world.act(world.accept_rental(rental), world.start_rental(rental))
    ends.append(world.act(world.stop_rental(world.listing().current)).event(events.RentalClosed))
    return ends


def purse(world: World) -> int:
    return sum(world.tokens(who) for who in (HOST, TENANT, STRANGER))


@pytest.mark.parametrize(("above", "gains"), [(0, False), (-1, False), (100, True)])
def test_collusion__pair_that_displaces_itself__gains_only_what_its_seconds_are_subsidised(
    world: World, above: int, gains: bool
) -> None:
    """Compensations go from one hand to the other: what is left is the subsidy of the seconds charged, less their fees
    and burn. Below the share that breaks even on spot that is a loss."""
    register_stranger(world)
    share = break_even_bps(fee_bps=SPOT_FEE_BPS, burn_bps=BURN_BPS) + above
    world.act(set_terms(GPUM, subsidy_bps=share, burn_bps=BURN_BPS))
    before = purse(world)
    ends = displacing(world)
    earned = [each.subsidy - each.subsidy_returned for each in ends]
    assert purse(world) - before == sum(earned) - sum(each.fees + each.burned for each in ends)
    assert (purse(world) > before) == gains and drawn(world) == (sum(earned), sum(earned))


def test_collusion__pair_that_displaces_itself_all_day__gains_no_more_than_the_budget(world: World) -> None:
    register_stranger(world)
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    budget = subsidy_of(LEAST) // 100
    world.act(set_terms(GPUM, subsidy_bps=8_500, burn_bps=BURN_BPS), approve_host(budget=budget))
    before = purse(world)
    for _ in range(3):
        displacing(world)
        world.act(world.heartbeat(HOST, *LISTINGS))
    assert purse(world) - before <= budget and drawn(world)[0] <= budget


def test_bids__rising__cost_their_renter_more(world: World) -> None:
    """The order of bids in dollars is their order in the market token."""
    costs = []
    for bid in range(MINIMUM, ON_DEMAND_USD, 100_001):
        event = world.act(world.open_rental(kind=RentalKind.SPOT, bid=bid, duration=LONG)).event(events.RentalOpened)
        world.act(world.stop_rental(world.listing(LISTING).current))
        costs.append(event.deposit)
    assert all(lower < higher for lower, higher in pairwise(costs))
