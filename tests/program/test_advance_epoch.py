"""advance_epoch: anyone ends epochs, any number at once with the same result. Invariants SYS-3, SYS-5, STK-3."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anchor_client.generated import events
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import GPUM, RENTER, TENANT, USDC
from .harness.changes import set_parameter
from .harness.market import seeded_world
from .harness.staking import (
    EPOCH,
    POOL,
    TOKEN,
    advance_epoch,
    fund_rewards,
    next_epoch,
    pool_of,
    stake,
    staked,
    unstake,
)
from .harness.terms import HOUR
from .harness.world import World


def test_advance_epoch__before_the_end__changes_nothing(world: World) -> None:
    pool = pool_of(world)
    world.wait(pool.epoch_ends_at - world.now - 1)
    assert world.act(advance_epoch()).events == ()
    assert pool_of(world) == pool


def test_advance_epoch__slots_without_seconds__end_nothing(world: World) -> None:
    pool = pool_of(world)
    world.cluster.skip_slots(1_000_000)
    assert world.act(advance_epoch()).events == ()
    assert pool_of(world) == pool


def test_advance_epoch__at_the_end__shares_the_queue(world: World) -> None:
    staked(world, 3 * TOKEN)
    world.act(fund_rewards(1_000), fund_rewards(70, USDC))
    pool = pool_of(world)
    next_epoch(world)
    event = world.act(advance_epoch()).event(events.EpochAdvanced)
    accs = (1_000 * 2**64 // (3 * TOKEN), 70 * 2**64 // (3 * TOKEN), 0, 0)
    assert event == events.EpochAdvanced(
        pool=POOL,
        old_epoch=1,
        epoch=2,
        started_at=pool.epoch_ends_at,
        ends_at=pool.epoch_ends_at + EPOCH,
        active=3 * TOKEN,
        shared=(1_000, 70, 0, 0),
        queued=(0, 0, 0, 0),
        acc=(0, 0, 0, 0),
        next_acc=accs,
        at=world.now,
        pool_seq=pool.seq + 1,
    )
    assert [stream.held for stream in pool_of(world).rewards] == [1_000, 70, 0, 0]


def test_advance_epoch__second_time__changes_nothing(world: World) -> None:
    next_epoch(world)
    world.act(advance_epoch())
    pool = pool_of(world)
    assert world.act(advance_epoch()).events == ()
    assert pool_of(world) == pool


@pytest.mark.parametrize(("late", "epoch"), [(EPOCH - 1, 1), (EPOCH, 2), (EPOCH + 1, 2), (10 * EPOCH, 11)])
def test_advance_epoch__missed_ones__keep_the_boundaries(world: World, late: int, epoch: int) -> None:
    ends = pool_of(world).epoch_ends_at
    world.wait(ends + late - world.now)
    world.act(advance_epoch())
    pool = pool_of(world)
    assert (pool.epoch, pool.epoch_started_at) == (epoch, ends + (epoch - 1) * EPOCH)
    assert pool.epoch_ends_at == pool.epoch_started_at + EPOCH


def test_advance_epoch__new_length__begins_with_the_next_epoch(world: World) -> None:
    ends = pool_of(world).epoch_ends_at
    world.act(set_parameter(MarketParameter.EPOCH_SECONDS, HOUR))
    world.wait(ends - 1 - world.now)
    assert world.act(advance_epoch()).events == ()
    world.wait(1)
    world.act(advance_epoch())
    assert pool_of(world).epoch_ends_at == ends + HOUR


@settings(max_examples=12, deadline=None)
@given(
    epochs=st.integers(1, 6),
    rest=st.integers(0, EPOCH - 1),
    warming=st.integers(1, 10**13),
    queued=st.integers(0, 10**13),
    leaves=st.integers(0, 5 * TOKEN),
)
def test_advance_epoch__n_at_once__is_the_same_as_one_by_one(
    epochs: int, rest: int, warming: int, queued: int, leaves: int
) -> None:
    """Whatever the state, and however late: only the number of events differs."""
    world = seeded_world()
    staked(world, 5 * TOKEN)
    world.act(fund_rewards(777))
    next_epoch(world)
    world.act(stake(TENANT, warming), *([fund_rewards(queued, GPUM)] if queued else []))
    if leaves:
        world.act(unstake(RENTER, leaves))
    ends = pool_of(world).epoch_ends_at
    each = seeded_world()
    for address, account in world.cluster.accounts().items():
        each.cluster.set_account(address, account)
    each.cluster.observers.clear()
    for n in range(epochs):
        each.cluster.now = ends + n * EPOCH
        assert each.act(advance_epoch()).events
    for at in (world, each):
        at.cluster.now = ends + (epochs - 1) * EPOCH + rest
        at.act(advance_epoch())
    assert replace(pool_of(each), seq=0) == replace(pool_of(world), seq=0)
