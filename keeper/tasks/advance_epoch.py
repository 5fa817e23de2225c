"""Ends epochs of the stake pool: anyone may, nobody is paid for it."""

from __future__ import annotations

from anchor_client.generated.accounts import StakePool


def is_due(pool: StakePool, now: int) -> bool:
    """Whether an epoch is over that has stake or rewards in it; an empty pool can wait for its first staker."""
    has_stake = pool.active + pool.warming > 0
    return now >= pool.epoch_ends_at and (has_stake or any(stream.queued for stream in pool.rewards))


def next_end(pool: StakePool, epoch_seconds: int, now: int) -> int:
    """When the epoch ends that `now` falls into, however many have ended before without being passed."""
    return pool.epoch_ends_at + max((now - pool.epoch_ends_at) // epoch_seconds + 1, 0) * epoch_seconds
