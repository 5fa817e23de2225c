"""Fees reach stakers and epochs end without anybody having to ask."""

from __future__ import annotations

from dataclasses import replace

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import StakePool, Vault
from anchor_client.generated.pdas import find_pool
from anchor_client.solana.tokens import associated_token
from keeper.loop import run_once
from keeper.tasks.staking import ADVANCE_EPOCH, PoolSubject, next_end
from tests.keeper.cranking import Cranking
from tests.markets.parties import DURATION, SettingsOf, World
from tests.program.harness.tokens import put_tokens

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


async def test_run_once__fees_of_a_rental__are_shared_with_stakers(world: World, settings: SettingsOf) -> None:
    await stake(world)
    world.running(1)
    world.warp(DURATION)
    await run_once(settings(cranks={"staking"}))
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
    epoch_began = (await pool_of(world)).epoch_ends_at + DURATION
    world.running(2)
    world.running(1, duration=epoch_began - world.now() + 20)
    world.warp(epoch_began - world.now() + 1)
    await run_once(settings())
    rewards = Cranking(world, settings(cranks={"staking"}))
    assert await rewards.tasks() == ["sweep_fees", "advance_epoch"]
    world.warp(20)
    await run_once(settings())
    [vault] = [vault for vault in await world.vaults(world.tokens.market_token) if vault.fees_due]
    pool = await pool_of(world)
    assert vault.total_swept > 0 and world.now() < pool.epoch_ends_at
    assert await rewards.tasks() == []
    world.warp(pool.epoch_ends_at - world.now() + 1)
    assert await rewards.tasks() == ["sweep_fees", "advance_epoch"]
    assert (await pool_of(world)).epoch == pool.epoch + 1


async def test_rewards__treasury_frozen__hold_up_nothing_and_are_paid_later(world: World, settings: SettingsOf) -> None:
    """Nothing is sent that would be refused: a share that cannot be paid waits without a transaction."""
    await stake(world)
    mint, treasury = world.tokens.market_token.mint, world.keys.treasury.pubkey()
    put_tokens(world.acts.cluster, mint, treasury, 0, frozen=True)
    world.running(1)
    world.warp(DURATION)
    await run_once(settings())
    rewards = Cranking(world, settings(cranks={"staking"}))
    assert "sweep_fees" in await rewards.tasks()
    [vault] = [vault for vault in await world.vaults(world.tokens.market_token) if vault.treasury_due]
    assert (vault.fees_due, vault.stakers_due) == (0, 0) and vault.total_stakers > 0
    await next_epoch(world)
    assert "sweep_fees" not in await rewards.tasks()
    put_tokens(world.acts.cluster, mint, treasury, 0)
    await next_epoch(world)
    assert "sweep_fees" in await rewards.tasks()
    assert world.acts.tokens(treasury, mint) == vault.treasury_due


async def next_epoch(world: World) -> None:
    world.warp((await pool_of(world)).epoch_ends_at - world.now() + 1)


async def test_rewards__empty_pool__costs_nothing(world: World, settings: SettingsOf) -> None:
    world.warp(1_000)
    assert await Cranking(world, settings(cranks={"staking"})).tasks() == []


def is_due(pool: StakePool, now: int) -> bool:
    return ADVANCE_EPOCH.is_due(PoolSubject(POOL, pool), now)


async def test_is_due__over_and_in_use__only_then(world: World) -> None:
    pool = await pool_of(world)
    ends = pool.epoch_ends_at
    used = replace(pool, warming=1)
    assert [is_due(used, now) for now in (ends - 1, ends, ends + 1)] == [False, True, True]
    assert not is_due(pool, ends)
    queued = replace(pool, rewards=(replace(pool.rewards[0], queued=1), *pool.rewards[1:]))
    assert is_due(queued, ends)


async def test_next_end__around_ends_of_epochs__is_the_first_after_now(world: World) -> None:
    pool = await pool_of(world)
    ends = pool.epoch_ends_at
    moments = (ends - 1, ends, ends + 59, ends + 60)
    assert [next_end(pool, 60, now) - ends for now in moments] == [0, 60, 60, 120]


async def test_rewards__two_keepers__nobody_is_paid_twice(world: World, settings: SettingsOf) -> None:
    await stake(world)
    world.running(1)
    world.warp(DURATION)
    await run_once(settings())
    first, second = (Cranking(world, settings(cranks={"staking"})) for _ in range(2))
    await first.tasks()
    held = [stream.held for stream in (await pool_of(world)).rewards]
    assert await second.tasks() == []
    assert [stream.held for stream in (await pool_of(world)).rewards] == held
    vaults = (await world.reader.read_all(Vault)).values()
    assert all(vault.stakers_due == 0 for vault in vaults)
