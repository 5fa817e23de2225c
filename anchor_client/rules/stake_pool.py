"""The stake pool's arithmetic, exact to the base unit, so that rewards are known without a transaction.

Twin of `programs/gpu_market/src/state/stake_pool.rs`. Amounts are base units, accumulators
rewards per staked base unit in Q64 (modulo 2^128), times unix seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from solders.pubkey import Pubkey

from anchor_client.generated.types import RewardStream
from anchor_client.rules.math import U64_MAX

if TYPE_CHECKING:
    from anchor_client.generated.accounts import StakePool

STREAMS: Final = 4
"""Mints that stake can earn in."""
_U128: Final = 2**128


def from_words(words: Sequence[int]) -> int:
    """A stored accumulator's value."""
    low, high = words
    return (high << 64) + low


def to_words(value: int) -> tuple[int, int]:
    """An accumulator as it is stored."""
    return value & U64_MAX, value >> 64


def earned_floor(units: int, start: int, end: int) -> int:
    """Rewards that `units` earned while an accumulator went from `start` to `end`, rounded down."""
    return min(units * ((end - start) % _U128) >> 64, U64_MAX)


def advanced(pool: StakePool, now: int, epoch_seconds: int) -> StakePool:
    """The pool with every epoch boundary up to `now` passed, as the next instruction would leave it."""
    if now < pool.epoch_ends_at:
        return pool
    more = (now - pool.epoch_ends_at) // epoch_seconds
    active = pool.active + pool.warming
    rewards = pool.rewards
    for _ in range(2 if more > 0 else 1):
        rewards = tuple(_next_epoch(stream, active) for stream in rewards)
    started = pool.epoch_ends_at + more * epoch_seconds
    return replace(
        pool,
        epoch=pool.epoch + 1 + more,
        epoch_started_at=started,
        epoch_ends_at=started + epoch_seconds,
        active=active,
        warming=0,
        rewards=rewards,
    )


def _next_epoch(stream: RewardStream, active: int) -> RewardStream:
    """The queue is shared by those who are active; without any it waits."""
    acc = from_words(stream.next_acc)
    if active == 0 or stream.queued == 0:
        return replace(stream, acc=to_words(acc))
    share = (stream.queued << 64) // active
    return replace(stream, acc=to_words(acc), next_acc=to_words((acc + share) % _U128), queued=0)


def reward_mints(pool: StakePool) -> set[Pubkey]:
    """The mints that the pool pays rewards in."""
    return {stream.mint for stream in pool.rewards[: pool.streams]}


def is_full(pool: StakePool) -> bool:
    """True where the pool has no room for another reward mint."""
    return pool.streams == len(pool.rewards)
