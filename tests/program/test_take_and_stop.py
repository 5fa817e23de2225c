"""An order that has waited for a machine takes it: leaving it costs what the shortest rental does.

Invariants SPT-4, SPT-10.

RENTER holds the machine; TENANT is another wallet of theirs; STRANGER wants the machine and pays more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import HOST, KEEPER, RENTER, STRANGER, TENANT, USDC
from .harness.flows import pay_elsewhere
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.reference import ceil_div
from .harness.spot import (
    BEST,
    GRACE,
    HELD_AT,
    LEAST,
    LONG,
    challenged,
    compensation,
    held,
    outbid,
    preempt,
    register_stranger,
    take_over,
    withdraw_challenger,
)
from .harness.terms import HOUR
from .harness.tokens import put_tokens
from .harness.world import World
from .test_unpaid_endings import close, freeze

REPEATS = 20
TIMEOUT = 900
ON_DEMAND: dict[str, Any] = {"kind": RentalKind.ON_DEMAND, "mint": USDC, "duration": HOUR}


Bring = Callable[[World, Pubkey], None]


def queue(world: World, taker: Pubkey) -> None:
    """The host has not looked at it."""


def accept(world: World, taker: Pubkey) -> None:
    world.act(world.accept_rental(taker))


def least(world: World, rental: Pubkey) -> int:
    """The least charge of an order to its renter."""
    state = world.rental(rental)
    return ceil_div(state.rate * state.min_charge, HOUR)


def outbid_at_the_end(world: World) -> Pubkey:
    """A second before its turn, STRANGER's bid gives way to TENANT's order, which no bid can beat."""
    challenged(world, STRANGER, bid=BEST)
    world.run(GRACE - 1)
    world.act(outbid(world, TENANT, **ON_DEMAND))
    world.run(1)
    return world.listing().challenger


def opening(world: World) -> Instruction:
    """RENTER's next rental, at their old bid."""
    return world.open_rental(RENTER, kind=RentalKind.SPOT, bid=HELD_AT, duration=LONG, mint=USDC)


def test_attack__second_wallet_takes_and_stops__pays_the_shortest_rental_each_time(world: World) -> None:
    """One transaction displaces the holder, stops the order unstarted and gives the machine back to the holder."""
    register_stranger(world)
    held(world, mint=USDC)
    for number in range(REPEATS):
        taker = outbid_at_the_end(world)
        before = (world.tokens(TENANT, USDC), world.tokens(HOST, USDC))
        due, charge = compensation(world, taker), least(world, taker)
        deposit = world.rental(taker).deposit
        outcome = world.act(preempt(world), world.stop_rental(taker), opening(world))
        left = outcome.events[2]
        assert isinstance(left, events.RentalClosed) and left.rental == taker
        assert (left.reason, left.used, left.charged) == (CloseReason.WITHDRAWN, 0, 60)
        assert left.paid > 0 and left.deposit - left.refunded == charge > 0
        assert world.tokens(TENANT, USDC) == before[0] + deposit - due - charge, number
        assert world.tokens(HOST, USDC) > before[1]
        rental = world.listing().current
        world.act(world.accept_rental(rental), world.start_rental(rental))


def test_attack__holder_leaves_for_its_second_wallet__which_pays_the_shortest_rental(world: World) -> None:
    """Without a displacement: the holder stops, so nobody is compensated."""
    holder = held(world, mint=USDC)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE - 1)
    before, deposit, charge = world.tokens(TENANT, USDC), world.rental(taker).deposit, least(world, taker)
    world.act(world.stop_rental(holder), take_over(world), world.stop_rental(taker), opening(world))
    assert world.tokens(TENANT, USDC) == before + deposit - charge


@pytest.mark.parametrize("bring", [queue, accept])
def test_attack__wallets_displace_each_other_unstarted__pay_the_shortest_rental_each_time(
    world: World, bring: Bring
) -> None:
    """They would hold the machine for nothing, for as long as its host starts neither."""
    register_stranger(world)
    held(world, mint=USDC)
    challenged(world, TENANT, mint=USDC)
    world.run(GRACE)
    world.act(preempt(world))
    bid, who, turns = LEAST, STRANGER, 0
    while (bid := bid + ceil_div(bid, 20)) <= ON_DEMAND_USD:
        taker = world.listing().current
        bring(world, taker)
        challenged(world, who, mint=USDC, bid=bid)
        who, turns = world.rental(taker).renter, turns + 1
        charge = least(world, taker)
        world.run(GRACE)
        closed, took_over = world.act(preempt(world)).events
        assert isinstance(closed, events.RentalClosed) and isinstance(took_over, events.RentalTookOver)
        assert (closed.rental, closed.reason) == (taker, CloseReason.PREEMPTED)
        assert (closed.used, closed.charged, closed.deposit - closed.refunded) == (0, 60, charge)
        assert took_over.compensation > charge > 0
    assert turns > 5


def displaced_unstarted(world: World) -> Pubkey:
    """An order that has taken the machine and is not started, in front of one that waits."""
    register_stranger(world)
    held(world)
    challenged(world, mint=USDC)
    world.run(GRACE)
    world.act(preempt(world))
    challenged(world, STRANGER, mint=USDC, bid=BEST)
    return world.listing().current


def test_preempt__order_that_waited_at_its_hosts_last_moment__pays_the_shortest_rental(world: World) -> None:
    displaced_unstarted(world)
    world.run(TIMEOUT)
    closed = world.act(preempt(world)).events[0]
    assert isinstance(closed, events.RentalClosed)
    assert (closed.reason, closed.charged, closed.paid > 0) == (CloseReason.PREEMPTED, 60, True)


def test_preempt__host_late_to_start__does_not_escape_its_failure(world: World) -> None:
    """Whoever waits would spare it that, and compensate a renter who has everything back."""
    late = displaced_unstarted(world)
    world.run(TIMEOUT + 1)
    with expect(errors.ProvisioningOverdue):
        world.act(preempt(world))
    closed = world.act(world.cancel_unstarted(late, caller=KEEPER)).event(events.RentalClosed)
    assert (closed.charged, closed.refunded, world.listing().failed) == (0, closed.deposit, 1)
    world.act(take_over(world))


def test_attack__order_that_waited_starts_and_is_reported__pays_the_shortest_rental(world: World) -> None:
    """The report weighs and waives nothing: it would be the cheaper way to take the machine from others."""
    pay_elsewhere(world, TENANT)
    held(world)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE)
    world.act(preempt(world), world.accept_rental(taker), world.start_rental(taker))
    charge = least(world, taker)
    reported, closed = world.act(world.report_issue(taker, RentalIssue.NOT_AS_LISTED), world.stop_rental(taker)).events
    assert isinstance(reported, events.IssueReported) and isinstance(closed, events.RentalClosed)
    assert reported.weight > 0 == closed.used
    assert (closed.charged, closed.deposit - closed.refunded, closed.completed) == (60, charge, False)


def test_attack__stop_leaves_the_host_something_to_claim__keeps_the_order_that_waits(world: World) -> None:
    """One transaction would stop, withdraw, make the account, claim and give the machine back to the holder."""
    holder = held(world, mint=USDC)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE - 1)
    paid = world.tokens(HOST, USDC)
    close(world, HOST, USDC)
    world.act(world.stop_rental(holder))
    assert world.listing().owed > 0
    with expect(errors.TakeOverDue):
        world.act(withdraw_challenger(world, taker, holder=None, holder_payout=None))
    with expect(errors.PayoutUnclaimed):
        world.act(take_over(world))
    put_tokens(world.cluster, USDC, HOST, paid)
    world.act(world.claim_payout(caller=STRANGER), take_over(world))
    assert world.listing().current == taker


@pytest.mark.parametrize("caller", [KEEPER, TENANT])
def test_order_that_waited__host_cannot_be_paid__is_anyones_to_take_back_in_time(world: World, caller: Pubkey) -> None:
    """Else a host that is heard from, and lets its own account be frozen, keeps a stranger's deposit."""
    holder = held(world, mint=USDC)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE - 1)
    freeze(world, HOST, USDC)
    world.act(world.stop_rental(holder))
    world.run(1 + TIMEOUT)
    with expect(errors.TakeOverDue if caller == TENANT else errors.ChallengerInTime):
        world.act(withdraw_challenger(world, taker, caller=caller, holder=None, holder_payout=None))
    world.run(1)
    left = world.act(withdraw_challenger(world, taker, caller=caller, holder=None, holder_payout=None)).events[0]
    assert isinstance(left, events.RentalClosed) and left.refunded == left.deposit
    assert left.reason is (CloseReason.WITHDRAWN if caller == TENANT else CloseReason.TAKE_OVER_TIMEOUT)
    assert world.tokens(TENANT, USDC) == WALLET_TOKENS


@pytest.mark.parametrize("is_bound", [True, False])
def test_attack__holder_leaves_and_the_order_that_waits_with_it__is_refused(world: World, is_bound: bool) -> None:
    """One transaction would take the only rival off the machine and give it back to the holder, for nothing."""
    register_stranger(world)
    holder = held(world, mint=USDC)
    if is_bound:
        taker = outbid_at_the_end(world)
    else:
        taker = challenged(world, **ON_DEMAND)
        world.run(GRACE - 1)
    stop = world.stop_rental(holder)
    leave = withdraw_challenger(world, taker, holder=None, holder_payout=None)
    with expect(errors.TakeOverDue):
        world.act(stop, leave, opening(world))
    world.act(stop)
    with expect(errors.TakeOverDue):
        world.act(leave)
    world.act(take_over(world))
    assert world.listing().current == taker


def test_attack__command_ends_and_the_order_that_waits_leaves__is_refused(world: World) -> None:
    """The compensation would go to the wallet of its own sender."""
    holder = held(world, may_finish=True)
    taker = challenged(world, **ON_DEMAND)
    world.run(1)
    world.act(world.finish_rental(holder))
    with expect(errors.TakeOverDue):
        world.act(withdraw_challenger(world, taker))
    world.act(take_over(world), world.stop_rental(taker))
    assert world.tokens(TENANT, USDC) < WALLET_TOKENS


@pytest.mark.parametrize("bring", [queue, accept])
@pytest.mark.parametrize(("after", "is_charged"), [(0, True), (TIMEOUT, True), (TIMEOUT + 1, False)])
def test_stop_rental__order_that_waited__is_free_once_its_host_is_late(
    world: World, bring: Bring, after: int, is_charged: bool
) -> None:
    """A host that never answers is paid nothing by whoever waits for it as long as any renter."""
    held(world)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE)
    world.act(preempt(world))
    bring(world, taker)
    world.run(after)
    left = world.act(world.stop_rental(taker)).event(events.RentalClosed)
    assert (left.charged, left.paid > 0) == (60 if is_charged else 0, is_charged)
    assert (left.refunded == left.deposit) is not is_charged


def test_cancel_unstarted__order_that_waited__has_everything_back_but_the_compensation(world: World) -> None:
    held(world)
    taker = challenged(world, **ON_DEMAND)
    due = compensation(world, taker)
    world.run(GRACE)
    world.act(preempt(world))
    world.run(TIMEOUT + 1)
    world.act(world.cancel_unstarted(taker, caller=KEEPER))
    assert world.tokens(TENANT, USDC) == WALLET_TOKENS - due


def test_cancel_rental__host_refuses_an_order_that_waited__is_paid_nothing(world: World) -> None:
    held(world)
    taker = challenged(world, **ON_DEMAND)
    world.run(GRACE)
    world.act(preempt(world))
    left = world.act(world.cancel_rental(taker, CloseReason.ORDER_UNDELIVERED)).event(events.RentalClosed)
    assert (left.charged, left.refunded) == (0, left.deposit)
