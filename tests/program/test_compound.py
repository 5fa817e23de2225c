"""compound: rewards in the market token become stake without leaving the pool. Invariants STK-1, STK-2."""

from __future__ import annotations

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake

from .harness.actors import RENTER, TENANT, USDC
from .harness.outcome import expect
from .harness.staking import POOL, TOKEN, compound, fund_rewards, next_epoch, pool_of, stake_of, staked
from .harness.world import World


def earned(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    next_epoch(world)


def test_compound__earned__begins_to_warm_up(world: World) -> None:
    earned(world)
    event = world.act(compound()).events[-1]
    assert isinstance(event, events.RewardsCompounded)
    assert (event.stream, event.amount) == (0, 1_000_000)
    account, pool = stake_of(world), pool_of(world)
    assert (account.active, account.warming, account.owed[0]) == (TOKEN, 1_000_000, 0)
    assert (account.warm_at, pool.warming) == (pool.epoch_ends_at, 1_000_000)
    assert (pool.rewards[0].held, pool.rewards[0].claimed) == (0, 1_000_000)
    assert world.tokens(POOL) == TOKEN + 1_000_000


def test_compound__nothing_earned__is_refused(world: World) -> None:
    earned(world)
    world.act(compound())
    with expect(errors.NothingToClaim):
        world.act(compound())


def test_compound__rewards_in_other_mints__are_not_touched(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000_000, USDC))
    next_epoch(world)
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(compound())


def test_compound__somebody_elses__is_refused(world: World) -> None:
    earned(world)
    with expect(errors.WrongStakeOwner):
        world.act(compound(TENANT, stake=find_stake(RENTER)[0]))
