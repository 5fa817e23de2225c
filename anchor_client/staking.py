"""The stake pool's arithmetic, exact to the base unit, so that rewards are known without a transaction.

Twin of `programs/gpu_market/src/state/stake_pool.rs` and `stake_account.rs`. Amounts are base units, accumulators
rewards per staked base unit in Q64 (modulo 2^128), times unix seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from anchor_client.generated.accounts import StakeAccount, StakePool
from anchor_client.generated.types import RewardStream

STREAMS: Final = 4
"""Mints that stake can earn in."""
U64_MAX: Final = 2**64 - 1
_U128: Final = 2**128


def from_words(words: Sequence[int]) -> int:
    """A stored accumulator's value."""
    low, high = words
    return high << 64 | low


def to_words(value: int) -> tuple[int, int]:
    """An accumulator as it is stored."""
    return value & U64_MAX, value >> 64


def earned_floor(units: int, start: int, end: int) -> int:
    """What `units` earned while an accumulator went from `start` to `end`, rounded down."""
    return min(units * ((end - start) % _U128) >> 64, U64_MAX)


def advanced(pool: StakePool, now: int, epoch_seconds: int) -> StakePool:
    """The pool with every epoch boundary up to `now` passed, as the next instruction would leave it."""
    if now < pool.epoch_ends_at:
        return pool
    more = (now - pool.epoch_ends_at) // epoch_seconds
    active, rewards = pool.active + pool.warming, pool.rewards
    for _ in range(min(1 + more, 2)):
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


@dataclass(frozen=True, slots=True)
class Holding:
    """What a wallet has at stake now. `owed` may be claimed of each stream; `coming` is what the running epoch pays
    at its end on what is active, if it stays."""

    active: int = 0
    warming: int = 0
    cooling: int = 0
    warm_at: int = 0
    cool_at: int = 0
    voting_until: int = 0
    owed: tuple[int, ...] = (0,) * STREAMS
    coming: tuple[int, ...] = (0,) * STREAMS

    @property
    def staked(self) -> int:
        """Base units that may be unstaked."""
        return self.active + self.warming

    def withdrawable(self, now: int) -> int:
        """Base units that have cooled down at `now`."""
        return self.cooling if now >= self.cool_at else 0


def holding(account: StakeAccount, pool: StakePool) -> Holding:
    """A stake account against an up-to-date pool: what settling it now would give."""
    warm = account.warming if account.warm_at <= pool.epoch_started_at else 0
    active = account.active + warm
    owed, coming = [], []
    for number, stream in enumerate(pool.rewards):
        acc, end = from_words(stream.acc), from_words(stream.next_acc)
        earned = earned_floor(account.active, from_words(account.checkpoints[number]), acc)
        earned_warm = earned_floor(warm, from_words(account.warm_checkpoints[number]), acc)
        owed.append(min(account.owed[number] + earned + earned_warm, U64_MAX))
        coming.append(earned_floor(active, acc, end))
    return Holding(
        active=active,
        warming=account.warming - warm,
        cooling=account.cooling,
        warm_at=account.warm_at,
        cool_at=account.cool_at,
        voting_until=account.voting_until,
        owed=tuple(owed),
        coming=tuple(coming),
    )


def active_at(account: StakeAccount | None, now: int) -> int:
    """Base units that count at `now`: for fees, quotas, priority and votes; none without an account."""
    if account is None:
        return 0
    return account.active + (account.warming if now >= account.warm_at else 0)
