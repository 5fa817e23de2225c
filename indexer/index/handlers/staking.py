"""Stake, the pool it is in, and its rewards."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.events import (
    EpochAdvanced,
    PoolInitialized,
    RewardMintAdded,
    RewardsClaimed,
    RewardsCompounded,
    RewardsFunded,
    StakeClosed,
    Staked,
    StakersReleased,
    StakersSwept,
    StakeWithdrawn,
    Unstaked,
)
from anchor_client.generated.pdas import find_pool
from anchor_client.generated.types import StakeState
from anchor_client.rules.stake_pool import STREAMS
from indexer.index.handlers.ledger import change_ledger, wrapping_add
from indexer.index.handlers.step import Step, on
from indexer.models import EpochReward, RewardClaim, RewardStream, Stake, StakePool, StakeReward


@on(PoolInitialized)
def on_pool_initialized(event: PoolInitialized, step: Step) -> None:
    """Staking opens."""
    step.open(StakePool, event.pool, event, epoch_started_at=event.at, seq=event.pool_seq)


@on(RewardMintAdded)
def on_reward_mint_added(event: RewardMintAdded, step: Step) -> None:
    """Stake earns in one more mint."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq)
    step.add(RewardStream, event, number=event.stream)


@on(EpochAdvanced)
def on_epoch_advanced(event: EpochAdvanced, step: Step) -> None:
    """One epoch or several end; what was queued is shared in the first that follows."""
    span = {"epoch_started_at": event.started_at, "epoch_ends_at": event.ends_at}
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq, event, **span, warming=0)
    for number in range(STREAMS):
        stream = step.rows.change(RewardStream, number)
        if stream is None:
            break
        stream.acc = event.acc[number]
        stream.next_acc = event.next_acc[number]
        stream.queued = event.queued[number]
        if event.shared[number]:
            step.add(EpochReward, event, epoch=event.old_epoch + 1, stream=number, amount=event.shared[number])


@on(Staked)
def on_staked(event: Staked, step: Step) -> None:
    """A wallet stakes, perhaps for the first time or again after it had closed its account."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq, event.pool)
    stake = step.rows.change(Stake, str(event.stake))
    if stake is not None:
        stake.closed_at = None
    elif event.seq == 1:
        step.add(Stake, event, address=str(event.stake), staked_at=event.at, seq=0)
    _settle(step, event.stake, event.seq, event.state, warms=True)


@on(Unstaked)
def on_unstaked(event: Unstaked, step: Step) -> None:
    """Stake begins to cool down; what it would have earned goes back to the queues."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq, event.pool)
    for number, forfeited in enumerate(event.forfeited):
        stream = step.rows.change(RewardStream, number) if forfeited else None
        if stream is not None:
            stream.queued = wrapping_add(stream.queued, forfeited)
    _settle(step, event.stake, event.seq, event.state)


@on(StakeWithdrawn)
def on_stake_withdrawn(event: StakeWithdrawn, step: Step) -> None:
    """Stake that has cooled down returns to its owner."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq, event.pool)
    _settle(step, event.stake, event.seq, event.state)


@on(StakeClosed)
def on_stake_closed(event: StakeClosed, step: Step) -> None:
    """An empty stake account is closed; one that opens at its address again counts from one."""
    stake = step.change(Stake, event.stake, event.seq)
    if stake is not None:
        stake.seq = 0
        stake.closed_at = event.at


@on(RewardsFunded)
def on_rewards_funded(event: RewardsFunded, step: Step) -> None:
    """Somebody adds rewards for the next epoch."""
    _fund(event, step)


@on(StakersSwept)
def on_stakers_swept(event: StakersSwept, step: Step) -> None:
    """The stakers' share of a vault's fees is added to their rewards."""
    _fund(event, step)
    vault = str(event.vault)
    change_ledger(step, vault, event.vault_seq, stakers_due=-event.amount, total_stakers=event.amount)


@on(StakersReleased)
def on_stakers_released(event: StakersReleased, step: Step) -> None:
    """The stakers' share goes to the treasury, in a mint that the pool has no stream left for."""
    vault = str(event.vault)
    change_ledger(step, vault, event.vault_seq, stakers_due=-event.amount, total_swept=event.amount)


@on(RewardsClaimed)
def on_rewards_claimed(event: RewardsClaimed, step: Step) -> None:
    """A staker takes the rewards of one stream."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq)
    _settle(step, event.stake, event.seq, event.state)
    _claim(event, step, compounded=False)


@on(RewardsCompounded)
def on_rewards_compounded(event: RewardsCompounded, step: Step) -> None:
    """A staker's rewards in the market token become stake."""
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq, event.pool)
    _settle(step, event.stake, event.seq, event.state, warms=True)
    _claim(event, step, compounded=True)


def _settle(step: Step, address: Pubkey, seq: int, state: StakeState, *, warms: bool = False) -> None:
    """A known stake as an event leaves it; `warms` when stake began to warm up."""
    stake = step.change(Stake, address, seq, state)
    if stake is None:
        return
    for number in range(STREAMS):
        stream = step.rows.find(RewardStream, number)
        if stream is None:
            break
        reward = _reward_of(step, stake.address, number)
        reward.owed = state.owed[number]
        reward.checkpoint = stream.acc
        if warms:
            reward.warm_checkpoint = stream.next_acc


def _fund(event: RewardsFunded | StakersSwept, step: Step) -> None:
    step.change(StakePool, find_pool(step.program)[0], event.pool_seq)
    stream = step.rows.change(RewardStream, event.stream)
    if stream is not None:
        stream.queued = event.queued
        stream.funded = event.funded


def _claim(event: RewardsClaimed | RewardsCompounded, step: Step, *, compounded: bool) -> None:
    """Counts a claim in its stream and for its stake, and keeps it."""
    stream = step.rows.change(RewardStream, event.stream)
    if stream is not None:
        stream.claimed = wrapping_add(stream.claimed, event.amount)
    reward = _reward_of(step, str(event.stake), event.stream)
    reward.claimed = wrapping_add(reward.claimed, event.amount)
    step.add(RewardClaim, event, compounded=compounded)


def _reward_of(step: Step, stake: str, stream: int) -> StakeReward:
    """A stake's share of a stream, to change."""
    return step.rows.change(StakeReward, stake, stream) or step.add(StakeReward, stake=stake, stream=stream)
