"""Rentals that end for another reason than their time, and parties that cannot simply be paid."""

from __future__ import annotations

import pytest

from anchor_client.generated.accounts import Listing
from anchor_client.generated.instructions import update_market
from anchor_client.generated.types import MarketParameter, RentalState, Silence
from anchor_client.solana.tokens import associated_token
from keeper.endings import SkipReason
from keeper.loop import run_once
from tests.markets.parties import ANSWER_WINDOW, DURATION, OFFLINE_AFTER, PROVISION_TIMEOUT, TIP, SettingsOf, World

LONG = 10 * OFFLINE_AFTER


async def test_run_once__hosts_silent_in_the_middle__renters_get_the_rest_back(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.market_token
    parties = world.running(3, duration=LONG)
    held = [world.tokens_of(party.renter.pubkey(), token) for party in parties]
    world.fall_silent(*parties)

    summary = await run_once(settings())

    assert [ended.task for ended in summary.ended] == ["report_offline"] * 3
    assert all(world.tokens_of(p.renter.pubkey(), token) > h for p, h in zip(parties, held, strict=True))
    await world.assert_balanced(token)


async def test_run_once__hosts_gone_silent__are_marked_first_and_reported_once_they_had_time(
    world: World, settings: SettingsOf
) -> None:
    parties = world.running(2, duration=LONG)
    world.warp(OFFLINE_AFTER + 2)

    marked = await run_once(settings())
    world.beat(parties[1])
    world.warp(ANSWER_WINDOW)
    reported = await run_once(settings())

    assert [ended.task for ended in marked.ended] == ["mark_silent"] * 2
    assert [(ended.task, ended.rental) for ended in reported.ended] == [("report_offline", parties[0].rentals[0])]


async def test_run_once__idle_machine_gone_silent__is_marked_and_proven_by_a_crank(
    world: World, settings: SettingsOf
) -> None:
    party = world.party()
    world.warp(OFFLINE_AFTER + 2)
    for silence in (Silence.MARKED, Silence.PROVEN):
        await run_once(settings(cranks={"host"}))
        listing = await world.reader.read(Listing, party.listing)
        assert listing is not None and listing.silence == silence
        world.warp(ANSWER_WINDOW)
    world.beat(party)
    listing = await world.reader.read(Listing, party.listing)
    assert listing is not None and listing.silence == Silence.HEARD
    assert listing.up_seconds < listing.tracked_seconds - OFFLINE_AFTER


async def test_run_once__hosts_that_never_start__renters_get_everything_back(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.usdc
    parties = [world.party(token) for _ in range(3)]
    held = [world.tokens_of(party.renter.pubkey(), token) for party in parties]
    for party in parties:
        world.open(party, token=token)
    world.warp(PROVISION_TIMEOUT + 2)

    summary = await run_once(settings())

    assert [ended.task for ended in summary.ended] == ["cancel_unstarted"] * 3
    assert [world.tokens_of(party.renter.pubkey(), token) for party in parties] == held
    await world.assert_balanced(token)


async def test_run_once__renter_closed_his_token_account__expiry_ends_without_it(
    world: World, settings: SettingsOf
) -> None:
    [party] = world.running(1)
    world.close_account(associated_token(party.renter.pubkey(), world.tokens.market_token.mint))
    world.warp(DURATION)

    summary = await run_once(settings())

    assert len(summary.ended) == 1 and summary.exit_code == 0
    assert world.tokens_of(party.renter.pubkey(), world.tokens.market_token) == 0


async def test_run_once__parties_that_cannot_be_paid__cost_the_keeper_nothing(
    world: World, settings: SettingsOf
) -> None:
    """The host's part is owed by the listing, the renter's by the rental, which is no longer looked at."""
    token = world.tokens.market_token
    [party] = world.running(1, duration=LONG)
    for owner in (party.renter, party.host):
        world.close_account(associated_token(owner.pubkey(), token.mint))
    world.fall_silent(party)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())

    summary = await run_once(settings(keypair=keeper))
    again = await run_once(settings(keypair=keeper))

    assert len(summary.ended) == 1 and again.ended == []
    assert world.lamports(keeper.pubkey()) - before == TIP - 5_000
    [record] = (await world.rentals()).values()
    assert record.state == RentalState.ENDED and record.deposit > 0


async def test_run_once__expired_rental_paid_in_sol__pays_the_host_lamports(world: World, settings: SettingsOf) -> None:
    token = world.tokens.sol
    [party] = world.running(1, token=token)
    before = world.lamports(party.host.pubkey())
    world.warp(DURATION)

    summary = await run_once(settings())

    assert len(summary.ended) == 1 and world.lamports(party.host.pubkey()) > before
    await world.assert_balanced(token)


async def test_run_once__silent_host_of_a_rental_paid_in_sol__the_renter_has_lamports_back(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.sol
    [party] = world.running(1, token=token, duration=LONG)
    world.fall_silent(party)
    before = world.lamports(party.renter.pubkey())

    summary = await run_once(settings())

    assert len(summary.ended) == 1 and world.lamports(party.renter.pubkey()) > before
    await world.assert_balanced(token)


@pytest.mark.parametrize(("least", "ended", "skipped"), [(0, 0, 1), (-5_000, 1, 0)])
async def test_run_once__rental_without_a_tip__ends_only_at_the_operators_expense(
    world: World, settings: SettingsOf, least: int, ended: int, skipped: int
) -> None:
    authority = world.keys.authority
    no_tip = update_market(parameter=MarketParameter.TIP_LAMPORTS, value=0, authority=authority.pubkey())
    world.run(authority, [no_tip])
    world.running(1)
    world.warp(DURATION)

    summary = await run_once(settings(min_profit_lamports=least))

    assert (len(summary.ended), len(summary.skipped), summary.exit_code) == (ended, skipped, 0)
    assert set(summary.skipped.values()) <= {SkipReason.UNPROFITABLE}
