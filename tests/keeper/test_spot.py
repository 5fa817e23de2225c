"""The keeper moves spot machines on: it preempts after the grace, hands idle machines over, and frees stuck orders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.generated.errors import ChallengerInTime, GraceNotOver
from anchor_client.generated.types import RentalKind
from anchor_client.solana.tokens import create_associated_token
from keeper.loop import run_once
from keeper.snapshot import read_snapshot
from keeper.tasks.spot import PREEMPT_RENTAL, TAKE_OVER_LISTING, WITHDRAW_CHALLENGER
from tests.keeper.test_rental import assert_boundary, at, due_by, refusal
from tests.markets.parties import OFFLINE_AFTER, PROVISION_TIMEOUT, TIP, Party, SettingsOf, World
from tests.program.harness import spot

GRACE = 90
LONG = 1_800
NOBODY = Pubkey.default()


def challenged(world: World, *, start: bool = True, silent: int = 0) -> tuple[Party, Party, Pubkey]:
    """Holder of a machine on spot, challenger, and the waiting rental; the host was silent before it came."""
    holder, other = world.party(), world.party()
    world.open(holder, duration=LONG, kind=RentalKind.SPOT, bid=spot.HELD_AT)
    if start:
        world.start(holder)
    world.warp(silent)
    mint, renter = world.tokens.market_token.mint, other.renter.pubkey()
    order: dict[str, Any] = {"listing": holder.listing, "mint": mint, "shard": 1, "bid": spot.LEAST, "duration": LONG}
    return holder, other, spot.challenged(world.acts, renter, **order)


def listing_of(world: World, party: Party) -> Listing:
    return world.acts.listing(party.listing)


def stop(world: World, party: Party) -> None:
    """The holder leaves of their own accord."""
    world.acts.act(world.acts.stop_rental(party.rentals[-1]))


async def test_preempt_rental__last_second_of_grace__is_due_after_it(world: World, settings: SettingsOf) -> None:
    holder, _, _ = challenged(world)
    due_at = listing_of(world, holder).preempt_at
    await assert_boundary(world, settings, PREEMPT_RENTAL, holder.rentals[0], due_at, GraceNotOver)


@pytest.mark.parametrize("start", [True, False])
async def test_preempt_rental__grace_over__hands_over_and_earns_the_tip(
    world: World, settings: SettingsOf, start: bool
) -> None:
    holder, _, challenger = challenged(world, start=start)
    world.warp(GRACE)
    world.beat(holder)
    summary = await run_once(settings())
    assert listing_of(world, holder).current == challenger
    assert world.lamports(holder.rentals[0]) == 0
    assert [(ended.task, ended.tip_lamports) for ended in summary.ended] == [("preempt_rental", TIP)]


async def test_preempt_rental__silent_host_or_ended_time__is_left_to_other_tasks(world: World) -> None:
    holder, _, _ = challenged(world)
    snapshot = await read_snapshot(world.reader)
    silent = snapshot.listings[holder.listing].last_heartbeat_at + OFFLINE_AFTER + 1
    over = snapshot.rentals[holder.rentals[0]].started_at + LONG
    assert at(snapshot, silent - 1) == ["preempt_rental"]
    assert at(snapshot, silent) == ["mark_silent", "withdraw_challenger"]
    assert "preempt_rental" not in at(snapshot, over)


async def test_take_over_listing__idle_machine__is_handed_over_without_a_tip(
    world: World, settings: SettingsOf
) -> None:
    holder, _, challenger = challenged(world)
    stop(world, holder)
    assert at(await read_snapshot(world.reader), world.now()) == ["take_over_listing"]
    summary = await run_once(settings())
    assert listing_of(world, holder).current == challenger
    assert [(ended.task, ended.tip_lamports) for ended in summary.ended] == [("take_over_listing", 0)]


async def test_take_over_listing__host_has_given_the_holder_up__pays_the_compensation(
    world: World, settings: SettingsOf
) -> None:
    holder, _, challenger = challenged(world)
    world.acts.act(world.acts.cancel_rental(holder.rentals[-1]))
    mint, renter = world.tokens.market_token.mint, holder.renter.pubkey()
    due, before = spot.compensation(world.acts, challenger), world.acts.tokens(renter, mint)
    await run_once(settings())
    assert listing_of(world, holder).current == challenger
    assert world.acts.tokens(renter, mint) == before + due > before


async def test_take_over_listing__at_no_loss__is_left(world: World, settings: SettingsOf) -> None:
    holder, _, _ = challenged(world)
    stop(world, holder)
    summary = await run_once(settings(unpaid_loss_lamports=0))
    assert listing_of(world, holder).current == NOBODY
    assert summary.ended == []


async def test_take_over_listing__host_that_is_owed__waits_until_it_has_claimed(world: World) -> None:
    holder, _, _ = challenged(world)
    world.warp(60)
    world.beat(holder)
    account = world.associated(holder.host.pubkey(), world.tokens.market_token)
    world.close_account(account)
    stop(world, holder)
    assert listing_of(world, holder).owed > 0
    assert at(await read_snapshot(world.reader), world.now()) == []
    host, mint = holder.host.pubkey(), world.tokens.market_token.mint
    world.acts.act(create_associated_token(host, host, mint), world.acts.claim_payout(holder.listing))
    assert at(await read_snapshot(world.reader), world.now()) == ["take_over_listing"]


async def test_take_over_listing__silent_host__is_not_due(world: World) -> None:
    holder, _, _ = challenged(world)
    stop(world, holder)
    snapshot = await read_snapshot(world.reader)
    silent = snapshot.listings[holder.listing].last_heartbeat_at + OFFLINE_AFTER + 1
    assert due_by(TAKE_OVER_LISTING, snapshot, silent) == []
    assert due_by(TAKE_OVER_LISTING, snapshot, silent - 1) != []


async def test_withdraw_challenger__last_second_to_take_over__is_due_after_it(
    world: World, settings: SettingsOf
) -> None:
    holder, _, challenger = challenged(world, silent=OFFLINE_AFTER - GRACE)
    due_at = listing_of(world, holder).preempt_at + PROVISION_TIMEOUT + 1
    snapshot = await read_snapshot(world.reader)
    assert due_by(WITHDRAW_CHALLENGER, snapshot, due_at - 1) == []
    assert [due.address for due in due_by(WITHDRAW_CHALLENGER, snapshot, due_at)] == [challenger]
    world.stop_clock_at(due_at - 1)
    assert isinstance(await refusal(world, settings, WITHDRAW_CHALLENGER, challenger), ChallengerInTime)
    world.stop_clock_at(due_at)
    assert await refusal(world, settings, WITHDRAW_CHALLENGER, challenger) is None


async def test_withdraw_challenger__host_heard_from_that_is_owed__is_due_once_it_is_late(world: World) -> None:
    holder, _, challenger = challenged(world)
    snapshot = await read_snapshot(world.reader)
    listing = snapshot.listings[holder.listing]
    late = listing.preempt_at + PROVISION_TIMEOUT + 1
    for owed, due in ((0, []), (1, [challenger])):
        snapshot.listings[holder.listing] = replace(listing, owed=owed, last_heartbeat_at=late)
        assert [each.address for each in due_by(WITHDRAW_CHALLENGER, snapshot, late)] == due
        assert due_by(WITHDRAW_CHALLENGER, snapshot, late - 1) == []


async def test_withdraw_challenger__host_gone_for_good__is_refunded(world: World, settings: SettingsOf) -> None:
    holder, other, challenger = challenged(world)
    before = world.tokens_of(other.renter.pubkey(), world.tokens.market_token)
    deposit = world.acts.rental(challenger).deposit
    world.warp(OFFLINE_AFTER + PROVISION_TIMEOUT)
    world.fall_silent(holder)
    summary = await run_once(settings())
    assert {ended.task for ended in summary.ended} == {"report_offline", "withdraw_challenger"}
    assert world.tokens_of(other.renter.pubkey(), world.tokens.market_token) == before + deposit
    assert (listing_of(world, holder).current, listing_of(world, holder).challenger) == (NOBODY, NOBODY)
