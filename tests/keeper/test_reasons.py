"""Rentals that end for another reason than their time, and parties that cannot simply be paid."""

from __future__ import annotations

import pytest
from spl.token.constants import ACCOUNT_LEN

from anchor_client.generated.instructions import update_market
from anchor_client.generated.types import MarketParameter
from anchor_client.tokens import associated_token
from keeper.endings import SkipReason
from keeper.loop import run_once
from tests.markets.parties import DURATION, OFFLINE_AFTER, PROVISION_TIMEOUT, TIP, SettingsOf, World

LONG = 10 * OFFLINE_AFTER


async def test_run_once__hosts_silent_in_the_middle__renters_get_the_rest_back(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.market_token
    parties = world.running(3, duration=LONG)
    held = [world.tokens_of(party.renter.pubkey(), token) for party in parties]
    world.warp(OFFLINE_AFTER + 2)

    summary = await run_once(settings())

    assert [ended.task for ended in summary.ended] == ["report_offline"] * 3
    assert all(world.tokens_of(p.renter.pubkey(), token) > h for p, h in zip(parties, held, strict=True))
    await world.assert_balanced(token)


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


async def test_run_once__refund_to_a_closed_token_account__is_skipped_until_the_operator_pays_for_one(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.market_token
    [party] = world.running(1, duration=LONG)
    world.close_account(associated_token(party.renter.pubkey(), token.mint))
    world.warp(OFFLINE_AFTER + 2)
    rent = world.local.cluster.bank.minimum_balance(ACCOUNT_LEN)

    refused = await run_once(settings(token_account_loss_lamports=rent - TIP - 1))
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    paid = await run_once(settings(keypair=keeper, token_account_loss_lamports=rent, min_profit_lamports=-TIP))

    assert set(refused.skipped.values()) == {SkipReason.RENTER_TOKEN_MISSING}
    assert (refused.transactions, refused.exit_code) == (0, 0)
    assert len(paid.ended) == 1 and world.tokens_of(party.renter.pubkey(), token) > 0
    assert paid.spent_lamports >= rent
    assert world.lamports(keeper.pubkey()) - before == paid.earned_lamports - paid.spent_lamports


async def test_run_once__refund_to_an_owner_with_another_account__goes_there(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.market_token
    [party] = world.running(1, duration=LONG)
    usual = associated_token(party.renter.pubkey(), token.mint)
    other = world.wallet().pubkey()
    account = world.local.cluster.account(usual)
    world.local.cluster.set_account(other, account)
    world.close_account(usual)
    world.warp(OFFLINE_AFTER + 2)

    summary = await run_once(settings())

    assert len(summary.ended) == 1
    received = world.local.cluster.account(other)
    assert account is not None and received is not None and received.data != account.data
    assert world.tokens_of(party.renter.pubkey(), token) == 0


async def test_run_once__rental_paid_in_sol__ends_although_the_renter_holds_no_wrapped_sol(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.sol
    [party] = world.running(1, token=token)
    world.warp(DURATION)

    summary = await run_once(settings())

    assert len(summary.ended) == 1
    assert world.tokens_of(party.host.pubkey(), token) > 0
    await world.assert_balanced(token)


async def test_run_once__refund_in_sol__goes_to_an_account_made_for_it(world: World, settings: SettingsOf) -> None:
    token = world.tokens.sol
    [party] = world.running(1, token=token, duration=LONG)
    world.warp(OFFLINE_AFTER + 2)
    rent = world.local.cluster.bank.minimum_balance(ACCOUNT_LEN)

    summary = await run_once(settings(token_account_loss_lamports=rent))

    assert len(summary.ended) == 1
    assert world.tokens_of(party.renter.pubkey(), token) > 0
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
