"""Attacks on the stake pool and the lock. Invariants MFP-1, STK-1 to STK-5."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events

from .harness.actors import GPUM, HOST, RENTER, TENANT, USDC
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import (
    EPOCH,
    POOL,
    TOKEN,
    advance_epoch,
    claim,
    compound,
    fund_rewards,
    next_epoch,
    pool_of,
    stake,
    stake_of,
    staked,
    unstake,
    withdraw_stake,
)
from .harness.tokens import put_tokens
from .harness.world import World


def test_stake__one_second_before_a_boundary_and_out_one_after__earns_nothing(world: World) -> None:
    staked(world, TOKEN, TENANT)
    world.act(fund_rewards(1_000_000))
    next_epoch(world, into=-1)
    world.act(stake(RENTER, 1_000 * TOKEN))
    world.wait(2)
    event = world.act(unstake(RENTER, 1_000 * TOKEN)).events[-1]
    assert isinstance(event, events.Unstaked)
    assert event.state.owed == (0, 0, 0, 0)
    assert event.forfeited[0] > 990_000
    next_epoch(world)
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(claim(RENTER))
    world.act(claim(TENANT))
    assert world.tokens(TENANT) >= WALLET_TOKENS - TOKEN + 1_000_000 - 2


def test_rewards__nobody_staked__wait_for_the_first_that_stays_an_epoch(world: World) -> None:
    world.act(fund_rewards(1_000_000))
    for _ in range(3):
        next_epoch(world)
        world.act(advance_epoch())
    assert pool_of(world).rewards[0].queued == 1_000_000
    world.act(stake(RENTER, TOKEN))
    next_epoch(world)
    next_epoch(world)
    world.act(claim())
    assert world.tokens(RENTER) == WALLET_TOKENS - TOKEN + 1_000_000


def test_rewards__all_leave_while_they_are_paid__wait_again(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    world.act(unstake(RENTER, TOKEN))
    pool = pool_of(world)
    assert (pool.active, pool.rewards[0].queued, pool.rewards[0].held) == (0, 1_000_000, 1_000_000)


def test_first_depositor__one_base_unit_and_a_donation__takes_nothing_from_the_next(world: World) -> None:
    """Shares are tokens, not a ratio: there is no price per share to push."""
    staked(world, 1, RENTER)
    put_tokens(world.cluster, GPUM, POOL, world.tokens(POOL) + 10**9)
    world.act(stake(TENANT, 10**6))
    next_epoch(world)
    world.act(fund_rewards(10**6 + 1))
    next_epoch(world)
    next_epoch(world)
    world.act(claim(RENTER), claim(TENANT))
    assert world.tokens(RENTER) == WALLET_TOKENS - 1 + 1
    assert world.tokens(TENANT) == WALLET_TOKENS


def test_dust__many_epochs_and_odd_shares__is_at_most_one_unit_each(world: World) -> None:
    amounts = {RENTER: 7, TENANT: 11, HOST: 13}
    world.act(*(stake(owner, amount) for owner, amount in amounts.items()))
    funded = 0
    for n in range(1, 8):
        next_epoch(world)
        world.act(fund_rewards(100 + n, USDC))
        funded += 100 + n
    next_epoch(world)
    next_epoch(world)
    world.act(*(claim(owner, USDC) for owner in amounts))
    left = pool_of(world).rewards[1].held
    assert 0 <= left <= 3 * 7
    assert world.tokens(POOL, USDC) == left


def test_dust__claimed_every_epoch__is_still_at_most_one_unit_an_epoch(world: World) -> None:
    world.act(stake(RENTER, 1), stake(TENANT, 2))
    next_epoch(world)
    for _ in range(5):
        world.act(fund_rewards(100))
        next_epoch(world)
        next_epoch(world)
        world.act(claim(RENTER), claim(TENANT))
    assert 0 <= pool_of(world).rewards[0].held <= 2 * 5


def test_claim__twice_in_one_transaction__is_refused(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000))
    next_epoch(world)
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(claim(), claim())
    with expect(errors.NothingToClaim):
        world.act(claim(), compound())
    world.act(claim())


def test_claim__after_all_is_unstaked_and_withdrawn__pays_what_was_earned(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    next_epoch(world)
    world.act(unstake(RENTER, TOKEN))
    world.wait(EPOCH)
    world.act(withdraw_stake())
    world.act(claim())
    assert world.tokens(RENTER) == WALLET_TOKENS + 1_000_000
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(claim())


def test_claim__stake_that_came_later__gets_nothing_of_before(world: World) -> None:
    staked(world, TOKEN, TENANT)
    world.act(fund_rewards(1_000_000))
    next_epoch(world)
    world.act(stake(RENTER, 100 * TOKEN))
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(claim(RENTER))
    world.act(claim(TENANT))
    assert world.tokens(TENANT) == WALLET_TOKENS - TOKEN + 1_000_000


def test_unstake__and_stake_again_in_one_epoch__earns_no_part_of_it(world: World) -> None:
    staked(world, TOKEN, TENANT)
    staked(world, TOKEN, RENTER)
    world.act(fund_rewards(1_000))
    next_epoch(world)
    world.act(unstake(RENTER, TOKEN), stake(RENTER, TOKEN))
    next_epoch(world)
    with expect(errors.NothingToClaim):
        world.act(claim(RENTER))


def test_withdraw__before_unstaking_or_cooling__never_moves_tokens(world: World) -> None:
    staked(world, TOKEN)
    with expect(errors.NothingToWithdraw):
        world.act(withdraw_stake())
    with expect(errors.StakeCooling):
        world.act(unstake(RENTER, TOKEN), withdraw_stake())
    assert stake_of(world).active + stake_of(world).warming == TOKEN


@pytest.mark.parametrize("amount", [2**64 - 1, 2**63])
def test_unstake__amounts_near_the_limit__do_not_wrap(world: World, amount: int) -> None:
    staked(world, TOKEN)
    with expect(errors.InsufficientStake):
        world.act(unstake(RENTER, amount))
