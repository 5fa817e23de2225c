"""Ends epochs of the stake pool: anyone may, nobody is paid for it."""

from __future__ import annotations

from anchor_client.generated.accounts import StakePool


def is_due(pool: StakePool, now: int) -> bool:
    """Whether an epoch is over that has stake or rewards in it; an empty pool can wait for its first staker."""
    has_stake = pool.active + pool.warming > 0
    return now >= pool.epoch_ends_at and (has_stake or any(stream.queued for stream in pool.rewards))
