"""unstake: stake stops counting at once and leaves after the length of an epoch.

Invariants SYS-6, STK-1, STK-2, STK-4.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pool_totals import PoolTotals
from anchor_client.generated.types.stake_state import StakeState

from .harness.actors import RENTER, TENANT
from .harness.changes import set_parameter
from .harness.outcome import expect
from .harness.staking import (
    EPOCH,
    TOKEN,
    advance_epoch,
    fund_rewards,
    next_epoch,
    pool_of,
    stake,
    stake_of,
    staked,
    unstake,
)
from .harness.terms import HOUR
from .harness.world import World


def test_unstake__active__cools_down_from_now(world: World) -> None:
    staked(world, 5 * TOKEN)
    world.act(advance_epoch())
    world.wait(123)
    pool = pool_of(world)
    event = world.act(unstake(RENTER, 2 * TOKEN)).event(events.Unstaked)
    assert event == events.Unstaked(
        stake=find_stake(RENTER)[0],
        owner=RENTER,
        from_warming=0,
        from_active=2 * TOKEN,
        forfeited=(0, 0, 0, 0),
        state=StakeState(
            active=3 * TOKEN,
            warming=0,
            cooling=2 * TOKEN,
            warm_at=pool.epoch_started_at,
            cool_at=world.now + EPOCH,
            owed=(0, 0, 0, 0),
        ),
        pool=PoolTotals(active=3 * TOKEN, warming=0, cooling=2 * TOKEN),
        at=world.now,
        seq=2,
        pool_seq=pool.seq + 1,
    )


def test_unstake__warming_stake__leaves_first(world: World) -> None:
    staked(world, 5 * TOKEN)
    world.act(stake(RENTER, 2 * TOKEN))
    event = world.act(unstake(RENTER, 3 * TOKEN)).event(events.Unstaked)
    assert (event.from_warming, event.from_active) == (2 * TOKEN, TOKEN)
    pool = pool_of(world)
    assert (pool.active, pool.warming, pool.cooling) == (4 * TOKEN, 0, 3 * TOKEN)


def test_unstake__in_the_middle_of_a_paying_epoch__forfeits_it_to_the_next_queue(world: World) -> None:
    staked(world, 3 * TOKEN)
    world.act(fund_rewards(1_000))
    next_epoch(world)
    world.wait(EPOCH // 2)
    world.act(advance_epoch())
    event = world.act(unstake(RENTER, TOKEN)).event(events.Unstaked)
    assert event.forfeited == (333, 0, 0, 0)
    assert pool_of(world).rewards[0].queued == 333
    assert stake_of(world).owed == (0, 0, 0, 0)


def test_unstake__what_ended_epochs_paid__stays_owed(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    next_epoch(world)
    world.act(unstake(RENTER, TOKEN))
    assert stake_of(world).owed == (1_000_000, 0, 0, 0)


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_unstake__more_than_there_is__is_refused(world: World, step: int) -> None:
    staked(world, TOKEN)
    world.act(stake(RENTER, TOKEN))
    if step > 0:
        with expect(errors.InsufficientStake):
            world.act(unstake(RENTER, 2 * TOKEN + step))
    else:
        world.act(unstake(RENTER, 2 * TOKEN + step))
        account = stake_of(world)
        assert (account.active + account.warming, account.cooling) == (-step, 2 * TOKEN + step)


def test_unstake__nothing__is_refused(world: World) -> None:
    staked(world, TOKEN)
    with expect(errors.ZeroAmount):
        world.act(unstake(RENTER, 0))


def test_unstake__somebody_elses__is_refused(world: World) -> None:
    staked(world, TOKEN)
    with expect(errors.WrongStakeOwner):
        world.act(unstake(TENANT, TOKEN, stake=find_stake(RENTER)[0]))


def test_unstake__while_a_vote_runs__keeps_active_stake_in_place(world: World) -> None:
    staked(world, 3 * TOKEN)
    world.act(stake(RENTER, TOKEN))
    world.rewrite(find_stake(RENTER)[0], replace(stake_of(world), voting_until=world.now + 100))
    with expect(errors.VoteLocked):
        world.act(unstake(RENTER, TOKEN + 1))
    world.act(unstake(RENTER, TOKEN))
    world.wait(99)
    with expect(errors.VoteLocked):
        world.act(unstake(RENTER, 1))
    world.wait(1)
    world.act(unstake(RENTER, 1))


def test_unstake__length_of_an_epoch__is_that_of_now(world: World) -> None:
    staked(world, TOKEN)
    world.act(set_parameter(MarketParameter.EPOCH_SECONDS, HOUR))
    world.act(unstake(RENTER, TOKEN))
    assert stake_of(world).cool_at == world.now + HOUR
