"""Events between a bid and the take-over, each with one defined outcome.

Invariants RNT-1, RNT-2, RNT-4, RNT-8, SPT-1, SPT-3, SPT-6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_kind import RentalKind

from .harness.actors import AUTHORITY, GPUM, HOST, LISTING, RENTER, STRANGER, TENANT, USDC
from .harness.changes import approve_host, respecify, set_paused
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.spot import (
    BEST,
    GRACE,
    challenged,
    compensation,
    held,
    outbid,
    place_bid,
    preempt,
    queued,
    register_stranger,
    take_over,
    withdraw_challenger,
)
from .harness.terms import HOUR, SUBSIDY_FUNDED
from .harness.world import World

PROVISION_TIMEOUT = 900


def _ends(world: World, act: Instruction) -> events.RentalClosed:
    return world.act(act).event(events.RentalClosed)


def test_holder__stops_in_its_grace__the_challenger_takes_over_at_once(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.run(10)
    assert _ends(world, world.stop_rental(holder)).reason is CloseReason.STOPPED
    with expect(errors.ListingOccupied):
        world.act(world.open_rental(RENTER))
    world.act(take_over(world))
    assert world.listing().current == challenger


def test_holder__expires_in_its_grace__is_finalized_not_preempted(world: World) -> None:
    holder = held(world)
    world.run(4 * HOUR - 10)
    challenger = challenged(world)
    world.run(GRACE)
    with expect(errors.RentalExpired):
        world.act(preempt(world))
    assert _ends(world, world.finalize_rental(holder)).reason is CloseReason.EXPIRED
    world.act(take_over(world))
    assert world.listing().current == challenger


def test_holder__extends_in_its_grace__may_until_the_challenger_has_won(world: World) -> None:
    """Orders that come and go cannot keep a holder from extending. Invariant SPT-7."""
    holder = held(world)
    challenged(world)
    world.act(world.extend_rental(holder))
    world.run(GRACE - 1)
    world.act(world.extend_rental(holder))
    world.run(1)
    with expect(errors.RentalChallenged):
        world.act(world.extend_rental(holder))
    world.act(preempt(world))


def test_holder__queued__may_be_started_in_its_grace(world: World) -> None:
    holder = queued(world)
    challenged(world)
    world.act(world.accept_rental(holder))
    world.act(world.start_rental(holder))
    world.run(GRACE)
    assert world.act(preempt(world)).events[0].used == GRACE  # type: ignore[attr-defined]


def test_holder__cancelled_by_its_host__counts_a_failure_and_makes_way(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.run(10)
    world.act(world.cancel_rental(holder))
    world.act(take_over(world))
    assert (world.listing().current, world.listing().failed) == (challenger, 1)


def test_holder__that_lost_the_race__cannot_be_preempted_twice(world: World) -> None:
    holder = held(world)
    challenged(world)
    world.run(GRACE)
    act = preempt(world)
    world.act(act)
    with expect_refusal():
        world.act(act)
    assert not world.exists(holder)


def test_challenger__withdraws__the_holder_keeps_the_machine(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.run(GRACE)
    act = preempt(world)
    world.act(withdraw_challenger(world, challenger))
    with expect_refusal():
        world.act(act)
    world.act(world.extend_rental(holder))
    assert world.listing().current == holder


def test_challenger__after_the_holder_stopped__may_withdraw_once_the_host_is_unheard(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.wait(1)
    world.act(world.stop_rental(holder))
    world.wait(world.market().offline_after - 1)
    with expect(errors.TakeOverDue):
        world.act(withdraw_challenger(world, challenger))
    world.wait(1)
    withdrawn = world.act(withdraw_challenger(world, challenger)).events[1]
    assert isinstance(withdrawn, events.ChallengerWithdrawn) and withdrawn.holder == Pubkey.default()
    world.act(world.heartbeat(), world.open_rental(RENTER))


@pytest.mark.parametrize(
    ("error", "act"),
    [
        (errors.RentalWaiting, World.stop_rental),
        (errors.RentalWaiting, World.accept_rental),
        (errors.RentalWaiting, World.cancel_rental),
        (errors.RentalWaiting, World.cancel_unstarted),
        (errors.WrongRentalState, World.start_rental),
        (errors.WrongRentalState, World.settle_rental),
        (errors.WrongRentalState, World.extend_rental),
        (errors.WrongRentalState, World.rate_rental),
        (errors.WrongRentalState, World.finalize_rental),
        (errors.WrongRentalState, World.report_offline),
    ],
)
def test_challenger__what_only_a_holder_may__is_refused(
    world: World, error: Any, act: Callable[[World, Pubkey], Instruction]
) -> None:
    held(world)
    challenger = challenged(world)
    world.run(PROVISION_TIMEOUT + 1)
    with expect(error):
        world.act(act(world, challenger))


def test_challengers__two_at_once__the_second_is_refused_and_the_first_stands(world: World) -> None:
    register_stranger(world)
    held(world)
    first, second = place_bid(world, TENANT), place_bid(world, STRANGER)
    with expect(errors.ChallengerWaiting):
        world.act(first, second)
    world.act(first)
    with expect(errors.ChallengerWaiting):
        world.act(second)
    world.act(outbid(world, STRANGER))
    assert world.tokens(TENANT) == WALLET_TOKENS


def test_challengers__a_row_of_bids__ends_at_the_first_ones_deadline(world: World) -> None:
    register_stranger(world)
    held(world)
    challenged(world, TENANT)
    deadline, bid = world.listing().preempt_at, BEST
    for turn in range(6):
        renter = (STRANGER, TENANT)[turn % 2]
        world.run(10)
        world.act(outbid(world, renter, bid=bid))
        bid = bid * 21 // 20 + 1
    assert world.listing().preempt_at == deadline
    world.run(deadline - world.now)
    world.act(preempt(world))
    assert world.rental(world.listing().current).renter == TENANT
    assert world.tokens(STRANGER) == WALLET_TOKENS


def test_challengers__each_in_another_mint_and_shard__are_paid_from_their_own_vaults(world: World) -> None:
    register_stranger(world)
    world.act(world.fund_subsidy(AUTHORITY, SUBSIDY_FUNDED, shard=1))
    held(world, RENTER, mint=USDC)
    challenged(world, TENANT, mint=GPUM, shard=1)
    world.act(outbid(world, STRANGER, mint=GPUM, shard=0))
    world.run(GRACE)
    world.act(preempt(world))
    challenged(world, TENANT, mint=USDC, bid=BEST * 2)
    world.run(GRACE)
    world.act(preempt(world))
    assert world.vault(USDC).open_rentals == 1
    assert (world.vault(GPUM, 0).liabilities, world.vault(GPUM, 1).liabilities) == (0, 0)


def test_displaced_by_an_order_at_full_price__a_bidder_has_no_way_back(world: World) -> None:
    held(world)
    challenged(world, TENANT, kind=RentalKind.ON_DEMAND, duration=HOUR)
    world.run(GRACE)
    world.act(preempt(world))
    with expect(errors.ListingOccupied):
        world.act(place_bid(world, RENTER, bid=BEST * 3))


def test_listing__held_and_challenged__cannot_be_closed_or_moved(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.wait(1)
    close = instructions.close_listing(authority=HOST, listing=LISTING, host=find_host(HOST)[0])
    with expect(errors.ListingOccupied):
        world.act(close)
    world.act(world.stop_rental(holder))
    for act in (close, respecify(region=4)):
        with expect(errors.ListingOccupied):
            world.act(act)
    world.wait(world.market().offline_after)
    world.act(withdraw_challenger(world, challenger))
    world.act(close)


def test_listing__hidden_and_repriced_in_the_grace__changes_nothing_for_the_challenger(world: World) -> None:
    held(world)
    challenger = challenged(world)
    before, due = world.rental(challenger), compensation(world, challenger)
    world.act(respecify(visible=False, on_demand_usd=9_999_999, spot_min_usd=0, mrl_seconds=HOUR))
    world.run(GRACE)
    world.act(preempt(world))
    after = world.rental(challenger)
    assert (after.rate, after.deposit, after.duration) == (before.rate, before.deposit - due, before.duration)


def test_host__silent_in_the_grace__is_reported_and_the_challenger_waits_for_a_heartbeat(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.wait(301)
    with expect(errors.ListingOffline):
        world.act(preempt(world))
    world.fall_silent()
    assert _ends(world, world.report_offline(holder)).reason is CloseReason.HOST_OFFLINE
    with expect(errors.ListingOffline):
        world.act(take_over(world))
    world.act(world.heartbeat())
    world.act(take_over(world))
    assert world.listing().current == challenger


def test_host__silent_for_good__anyone_gives_the_challenger_its_money_back(world: World) -> None:
    holder, challenger = held(world), challenged(world)
    world.wait(GRACE + PROVISION_TIMEOUT + 1)
    world.fall_silent()
    world.act(world.report_offline(holder))
    closed = world.act(withdraw_challenger(world, challenger, caller=STRANGER)).events[0]
    assert isinstance(closed, events.RentalClosed) and closed.reason is CloseReason.TAKE_OVER_TIMEOUT
    assert world.tokens(TENANT) == WALLET_TOKENS
    assert world.listing().challenger == Pubkey.default()


def test_host__silent_before_the_holder_started__makes_way_by_the_holders_timeout(world: World) -> None:
    holder = queued(world)
    challenger = challenged(world)
    world.wait(PROVISION_TIMEOUT + 1)
    with expect(errors.ProvisioningOverdue):
        world.act(preempt(world))
    world.act(world.cancel_unstarted(holder))
    world.act(world.heartbeat())
    world.act(take_over(world))
    assert world.listing().current == challenger


def test_host__revoked_in_the_grace__keeps_the_orders_it_had(world: World) -> None:
    """Like a queued rental of a revoked host: what was ordered before runs on, and nothing new is taken."""
    register_stranger(world)
    held(world)
    challenger = challenged(world)
    world.act(approve_host(approved=False))
    with expect(errors.HostNotApproved):
        world.act(outbid(world, STRANGER))
    world.run(GRACE)
    world.act(preempt(world))
    world.act(world.accept_rental(challenger))
    world.act(world.start_rental(challenger))


def test_market__paused_in_the_grace__money_and_machine_still_move(world: World) -> None:
    register_stranger(world)
    held(world)
    challenged(world)
    world.act(set_paused(PauseArea.ORDERS))
    with expect(errors.Paused):
        world.act(outbid(world, STRANGER))
    world.run(GRACE)
    world.act(preempt(world))
    assert world.rental(world.listing().current).renter == TENANT


@pytest.mark.parametrize("leave", [True, False])
def test_market__paused_after_the_holder_left__the_challenger_takes_over_or_leaves(world: World, leave: bool) -> None:
    """It leaves once its host is no longer heard from, as in a market that is not paused."""
    holder, challenger = held(world), challenged(world)
    world.wait(1)
    world.act(set_paused(PauseArea.ORDERS))
    world.act(world.stop_rental(holder))
    world.wait(world.market().offline_after if leave else 0)
    world.act(withdraw_challenger(world, challenger) if leave else take_over(world))
    assert world.listing().current == (Pubkey.default() if leave else challenger)


def test_outbid__after_the_holder_left__is_refused(world: World) -> None:
    """The challenger's turn has come: the account of the holder that an outbid names is gone."""
    register_stranger(world)
    holder = held(world)
    challenged(world)
    act = outbid(world, STRANGER)
    world.act(world.stop_rental(holder))
    with expect_refusal():
        world.act(act)
    world.act(take_over(world))
    world.act(place_bid(world, STRANGER, bid=BEST))
