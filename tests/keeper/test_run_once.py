"""One pass over the chain."""

from __future__ import annotations

from keeper.loop import run_once
from tests.markets.parties import DURATION, TIP, SettingsOf, World


async def test_run_once__twenty_expired_rentals_of_distinct_parties__all_end_for_their_tips(
    world: World, settings: SettingsOf
) -> None:
    token = world.tokens.market_token
    parties = world.running(20, shards=4)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    world.warp(DURATION)

    summary = await run_once(settings(keypair=keeper))

    assert {ended.rental for ended in summary.ended} == {party.rentals[0] for party in parties}
    assert {ended.task for ended in summary.ended} == {"finalize_rental"}
    assert not await world.rentals()
    assert summary.exit_code == 0
    assert summary.earned_lamports == 20 * TIP
    assert world.lamports(keeper.pubkey()) - before == summary.earned_lamports - summary.spent_lamports
    assert all(world.tokens_of(party.host.pubkey(), token) > 0 for party in parties)
    await world.assert_balanced(token)


async def test_run_once__nothing_due__does_nothing(world: World, settings: SettingsOf) -> None:
    world.running(1)
    world.warp(DURATION - 5)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())

    summary = await run_once(settings(keypair=keeper))

    assert summary.as_dict()["ended"] == [] and summary.exit_code == 0
    assert world.lamports(keeper.pubkey()) == before
    assert len(await world.rentals()) == 1


async def test_run_once__market_without_rentals__costs_nothing(world: World, settings: SettingsOf) -> None:
    summary = await run_once(settings())
    assert (summary.transactions, summary.spent_lamports, summary.exit_code) == (0, 0, 0)
