"""A stake account and the pool's totals as an event leaves them."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_pool, find_stake
from anchor_client.generated.types import PoolTotals, StakeState
from anchor_client.rules.stake_pool import STREAMS
from indexer.handlers.step import Step
from indexer.models import RewardStream, Stake, StakePool, StakeReward

POOL = str(find_pool()[0])


def follow_pool(step: Step, seq: int, totals: PoolTotals | None = None) -> StakePool | None:
    """The pool to change, at its new `seq` and with its new totals; None when its beginning was missed."""
    pool = step.rows.change(StakePool, POOL)
    if pool is None:
        step.unknown("stake_pool", POOL, seq)
        return None
    pool.seq = step.follow("stake_pool", POOL, pool.seq, seq)
    if totals is not None:
        pool.active, pool.warming, pool.cooling = totals.active, totals.warming, totals.cooling
    return pool


def settle(step: Step, address: Pubkey, seq: int, state: StakeState, *, warms: bool = False) -> Stake | None:
    """A known stake as an event leaves it; `warms` when stake began to warm up. None when its beginning was missed."""
    stake = step.rows.change(Stake, str(address))
    if stake is None:
        step.unknown("stake", address, seq)
        return None
    stake.seq = step.follow("stake", address, stake.seq, seq)
    stake.active, stake.warming, stake.cooling = state.active, state.warming, state.cooling
    stake.warm_at, stake.cool_at = state.warm_at, state.cool_at
    for number in range(STREAMS):
        stream = step.rows.find(RewardStream, number)
        if stream is None:
            break
        reward = reward_of(step, stake.address, number)
        reward.owed, reward.checkpoint = state.owed[number], stream.acc
        if warms:
            reward.warm_checkpoint = stream.next_acc
    return stake


def hold(step: Step, owner: Pubkey, seq: int, until: int) -> None:
    """A vote keeps a wallet's stake in place, at least until the one before would."""
    address = str(find_stake(owner)[0])
    stake = step.rows.change(Stake, address)
    if stake is None:
        return step.unknown("stake", address, seq)
    stake.seq = step.follow("stake", address, stake.seq, seq)
    stake.voting_until = max(stake.voting_until, until)


def reward_of(step: Step, stake: str, stream: int) -> StakeReward:
    """A stake's share of a stream, to change."""
    reward = step.rows.change(StakeReward, stake, stream)
    if reward is None:
        reward = StakeReward(stake=stake, stream=stream)
        step.rows.add(reward)
    return reward
