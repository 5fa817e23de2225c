"""close_stake: an empty account goes and its rent returns; opened again it is as new.

Invariants SYS-1, SYS-4, STK-1, STK-2, STK-6.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.pdas import find_host, find_stake
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, HOST, KEEPER, MINTS, RENTER, STRANGER, TENANT, USDC
from .harness.changes import set_paused
from .harness.governance import VOTING_PERIOD, close_proposal, proposed, put_stake, with_stake
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.staking import (
    EPOCH,
    POOL,
    TOKEN,
    advance_epoch,
    claim,
    close_stake,
    compound,
    emptied,
    fund_rewards,
    next_epoch,
    pool_of,
    stake,
    stake_of,
    staked,
    unstake,
    withdraw_stake,
)
from .harness.world import World

ACCOUNT = find_stake(RENTER)[0]
REWARDS = 1_000_003


def earned(world: World, mint: Pubkey = GPUM) -> None:
    """An account without stake that is still owed what one epoch paid, shared with another staker."""
    world.act(stake(RENTER, TOKEN), stake(TENANT, 2 * TOKEN))
    next_epoch(world)
    world.act(fund_rewards(REWARDS, mint))
    next_epoch(world)
    next_epoch(world)
    world.act(unstake(RENTER, TOKEN))
    world.wait(EPOCH)
    world.act(withdraw_stake())


def test_close_stake__empty__gives_the_whole_rent_back(world: World) -> None:
    world.act(stake())
    seq = stake_of(world).seq
    world.act(unstake())
    world.wait(EPOCH)
    world.act(withdraw_stake())
    pool = pool_of(world)
    outcome = world.act(close_stake())
    assert outcome.events == (events.StakeClosed(stake=ACCOUNT, owner=RENTER, at=world.now, seq=seq + 3),)
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(StakeAccount.SIZE) > 0
    assert not world.exists(ACCOUNT)
    assert pool_of(world) == pool
    assert world.tokens(RENTER) == WALLET_TOKENS


def warming_up(world: World) -> None:
    world.act(stake(amount=1))


def at_work(world: World) -> None:
    staked(world, 1)
    world.act(advance_epoch())


def cooling_down(world: World) -> None:
    world.act(stake(amount=1), unstake(amount=1))
    world.wait(EPOCH)


@pytest.mark.parametrize("hold", [warming_up, at_work, cooling_down, earned])
def test_close_stake__something_in_it__is_refused(world: World, hold: Callable[[World], None]) -> None:
    hold(world)
    with expect(errors.StakeNotEmpty):
        world.act(close_stake())


@pytest.mark.parametrize("mint", MINTS)
def test_close_stake__rewards_of_any_stream__have_to_be_claimed_first(world: World, mint: Pubkey) -> None:
    earned(world, mint)
    before = world.tokens(RENTER, mint)
    with expect(errors.StakeNotEmpty):
        world.act(close_stake())
    world.act(claim(mint=mint), close_stake())
    assert world.tokens(RENTER, mint) - before == REWARDS // 3


def test_close_stake__last_base_unit_of_each_kind__is_what_keeps_it(world: World) -> None:
    """Each field alone, in states that no transaction leads to."""
    for active, warming, cooling in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        put_stake(world, RENTER, active, warming=warming, cooling=cooling)
        with expect(errors.StakeNotEmpty):
            world.act(close_stake())
    for stream in range(4):
        put_stake(world, RENTER, 0, owed=tuple(int(stream == number) for number in range(4)))
        with expect(errors.StakeNotEmpty):
            world.act(close_stake())
    put_stake(world, RENTER, 0)
    world.act(close_stake())


@pytest.mark.parametrize("left", [1, 0, -1])
def test_close_stake__around_the_end_of_a_vote__is_refused_before(world: World, left: int) -> None:
    put_stake(world, RENTER, 0, voting_until=world.now + left)
    if left > 0:
        with expect(errors.VoteLocked):
            world.act(close_stake())
    else:
        world.act(close_stake())


def test_close_stake__voted__is_out_only_after_the_vote(world: World) -> None:
    proposal = proposed(with_stake(world))
    vote = instructions.vote(voter=TENANT, proposal=proposal, support=True)
    world.act(vote)
    amount = stake_of(world, TENANT).active + stake_of(world, TENANT).warming
    with expect(errors.VoteLocked):
        world.act(unstake(TENANT, amount))
    with expect(errors.VoteLocked):
        world.act(close_stake(TENANT))
    world.wait(VOTING_PERIOD)
    world.act(unstake(TENANT, amount))
    world.wait(EPOCH)
    world.act(withdraw_stake(TENANT), close_stake(TENANT), stake(TENANT))
    with expect_refusal():
        world.act(vote)


@pytest.mark.parametrize("signer", [TENANT, HOST, KEEPER, STRANGER])
def test_close_stake__not_the_owner__is_refused(world: World, signer: Pubkey) -> None:
    account = emptied(world)
    with expect(errors.WrongStakeOwner):
        world.act(close_stake(signer, stake=account))


def test_close_stake__another_account__is_refused(world: World) -> None:
    emptied(world)
    others = emptied(world, TENANT)
    with expect(errors.WrongStakeOwner):
        world.act(close_stake(stake=others))
    for account in (POOL, find_host(HOST)[0], STRANGER, find_stake(HOST)[0]):
        with expect_refusal():
            world.act(close_stake(stake=account))


def test_close_stake__twice__is_refused(world: World) -> None:
    emptied(world)
    with expect_refusal():
        world.act(close_stake(), close_stake())
    world.act(close_stake())
    with expect_refusal():
        world.act(close_stake())


def test_close_stake__paused_market__still_works(world: World) -> None:
    emptied(world)
    world.act(*(set_paused(area) for area in PauseArea))
    world.act(close_stake())


def test_close_stake__closed__is_gone_for_every_other_act(world: World) -> None:
    emptied(world)
    world.act(close_stake())
    for act in (unstake(), withdraw_stake(), claim(), compound()):
        with expect_refusal():
            world.act(act)


def test_close_stake__opened_again__counts_and_earns_as_the_first_time(world: World) -> None:
    """Rewards of before the new beginning are not earned again, in any stream; nor is its first epoch."""
    world.act(stake(TENANT, 2 * TOKEN))
    earned(world)
    world.act(claim(), close_stake())
    held = [stream.held for stream in pool_of(world).rewards]
    world.act(stake())
    again = stake_of(world)
    assert (again.seq, again.owner, again.warming, again.active) == (1, RENTER, TOKEN, 0)
    assert (again.owed, again.cooling, again.voting_until) == ((0,) * 4, 0, 0)
    assert again.checkpoints == tuple(stream.acc for stream in pool_of(world).rewards)
    next_epoch(world)
    world.act(fund_rewards(REWARDS), fund_rewards(REWARDS, USDC))
    for mint in MINTS:
        with expect(errors.NothingToClaim):
            world.act(claim(mint=mint))
    assert [stream.held for stream in pool_of(world).rewards][2:] == held[2:]
    next_epoch(world)
    next_epoch(world)
    before = world.tokens(RENTER)
    world.act(claim())
    assert world.tokens(RENTER) - before == REWARDS // 5


def test_close_stake__closed_and_opened_many_times__leaves_only_dust(world: World) -> None:
    """Stakers who come and go take no more than their share of the epochs they stayed through."""
    world.act(stake(TENANT, 2))
    funded = 0
    for turn in range(1, 5):
        staked(world, 1)
        world.act(fund_rewards(100 + turn, USDC))
        funded += 100 + turn
        next_epoch(world)
        next_epoch(world)
        world.act(unstake(amount=1))
        world.wait(EPOCH)
        world.act(withdraw_stake(), claim(mint=USDC), close_stake())
        assert not world.exists(ACCOUNT)
    world.act(claim(TENANT, USDC))
    pool = pool_of(world)
    assert pool.rewards[1].claimed + pool.rewards[1].held == funded
    assert 0 <= pool.rewards[1].held - pool.rewards[1].queued <= 2 * pool.epoch
    taken = world.tokens(RENTER, USDC) - WALLET_TOKENS
    assert taken == sum((100 + turn) // 3 for turn in range(1, 5))


def test_close_stake__all_in_one_transaction__gains_nothing(world: World) -> None:
    """Closed and opened again at once, the account is the one that a first stake makes."""
    emptied(world)
    lamports = world.act(close_stake(), stake()).lamports_gained(RENTER)
    assert lamports == 0
    assert (stake_of(world).seq, stake_of(world).warming) == (1, TOKEN)
    assert pool_of(world).warming == TOKEN


def test_close_stake__opened_again__makes_no_proposal_at_an_address_that_was_used(world: World) -> None:
    """Nor does one in the slot in which it is closed: the record of a vote would be another proposal's."""
    used = proposed(with_stake(world))
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=used), close_proposal(world, used))
    held, before = stake_of(world), world.cluster.slot
    world.wait(VOTING_PERIOD)
    world.act(unstake(amount=held.active + held.warming))
    world.wait(EPOCH)
    world.act(withdraw_stake(), close_stake(), stake(amount=held.active + held.warming))
    assert held.next_proposal <= before < stake_of(world).next_proposal == world.cluster.slot
    next_epoch(world)
    assert proposed(world) != used


@pytest.mark.parametrize("ahead", [1, 0])
def test_close_stake__nonces_around_the_slot__has_to_wait_for_it(world: World, ahead: int) -> None:
    """One made in the same slot would use them again."""
    put_stake(world, RENTER, 0, next_proposal=world.cluster.slot + ahead)
    if ahead:
        with expect(errors.AccountTooNew):
            world.act(close_stake())
    else:
        world.act(close_stake())
