"""Fees reach stakers and epochs end without anybody having to ask."""

from __future__ import annotations

from dataclasses import replace

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import StakePool, Vault
from anchor_client.generated.pdas import find_pool
from anchor_client.tokens import associated_token
from anchor_client.transactions import TransactionSender
from keeper.loop import run_once
from keeper.metrics import KeeperMetrics
from keeper.rewards import Rewards
from keeper.tasks import advance_epoch
from tests.keeper.world import DURATION, SettingsOf, World

POOL = find_pool()[0]


async def stake(world: World, amount: int = 1_000_000) -> Pubkey:
    owner = world.keys.renter
    mint = world.tokens.market_token.mint
    act = build.stake(
        amount=amount,
        owner=owner.pubkey(),
        pool_token=associated_token(POOL, mint),
        owner_token=associated_token(owner.pubkey(), mint),
    )
    world.run(owner, [act])
    return owner.pubkey()


async def pool_of(world: World) -> StakePool:
    pool = await world.reader.read(StakePool, POOL)
    assert pool is not None
    return pool


def tending(world: World, settings: SettingsOf) -> Rewards:
    sender = TransactionSender(world.client, commitment=world.reader.commitment)
    return Rewards(world.reader, sender, settings().wallet(), KeeperMetrics())


async def test_run_once__fees_of_a_rental__are_shared_with_stakers(world: World, settings: SettingsOf) -> None:
    await stake(world)
    world.running(1)
    world.warp(DURATION)
    await run_once(settings(tend_rewards=True))
    [vault] = [vault for vault in await world.vaults(world.tokens.market_token) if vault.total_stakers]
    assert (vault.fees_due, vault.stakers_due) == (0, 0)
    pool = await pool_of(world)
    assert pool.rewards[0].held == vault.total_stakers > 0
    assert pool.epoch > 0


async def test_run_once__without_being_told__leaves_fees_alone(world: World, settings: SettingsOf) -> None:
    world.running(1)
    world.warp(DURATION)
    await run_once(settings())
    assert sum(vault.fees_due for vault in await world.vaults(world.tokens.market_token)) > 0


async def test_rewards__same_epoch__is_tended_once(world: World, settings: SettingsOf) -> None:
    await stake(world)
    world.running(2)
    world.warp(DURATION)
    await run_once(settings())
    rewards = tending(world, settings)
    assert await rewards.run_once() > 0
    assert await rewards.run_once() == 0
    pool = await pool_of(world)
    world.warp(pool.epoch_ends_at - world.now() + 1)
    assert await rewards.run_once() == 1
    assert (await pool_of(world)).epoch == pool.epoch + 1


async def test_rewards__empty_pool__costs_nothing(world: World, settings: SettingsOf) -> None:
    world.warp(1_000)
    assert await tending(world, settings).run_once() == 0


async def test_is_due__over_and_in_use__only_then(world: World) -> None:
    pool = await pool_of(world)
    ends = pool.epoch_ends_at
    used = replace(pool, warming=1)
    assert [advance_epoch.is_due(used, now) for now in (ends - 1, ends, ends + 1)] == [False, True, True]
    assert not advance_epoch.is_due(pool, ends)
    queued = replace(pool, rewards=(replace(pool.rewards[0], queued=1), *pool.rewards[1:]))
    assert advance_epoch.is_due(queued, ends)


async def test_rewards__two_keepers__nobody_is_paid_twice(world: World, settings: SettingsOf) -> None:
    await stake(world)
    world.running(1)
    world.warp(DURATION)
    await run_once(settings())
    first, second = tending(world, settings), tending(world, settings)
    await first.run_once()
    held = [stream.held for stream in (await pool_of(world)).rewards]
    await second.run_once()
    assert [stream.held for stream in (await pool_of(world)).rewards] == held
    vaults = (await world.reader.read_all(Vault)).values()
    assert all(vault.stakers_due == 0 for vault in vaults)
