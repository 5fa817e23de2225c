from __future__ import annotations

from anchor_client.generated.events import EpochAdvanced
from anchor_client.rules.stake_pool import STREAMS
from indexer.handlers.stakes import follow_pool
from indexer.handlers.step import Step
from indexer.models import EpochReward, RewardStream


def on_epoch_advanced(event: EpochAdvanced, step: Step) -> None:
    """One epoch or several end; what was queued is shared in the first that follows."""
    pool = follow_pool(step, event.pool_seq)
    if pool is not None:
        pool.epoch, pool.epoch_started_at, pool.epoch_ends_at = event.epoch, event.started_at, event.ends_at
        pool.active, pool.warming = event.active, 0
    for number in range(STREAMS):
        stream = step.rows.change(RewardStream, number)
        if stream is None:
            break
        stream.acc, stream.next_acc = event.acc[number], event.next_acc[number]
        stream.queued = event.queued[number]
        if event.shared[number]:
            step.rows.add(
                EpochReward(
                    epoch=event.old_epoch + 1,
                    stream=number,
                    amount=event.shared[number],
                    active=event.active,
                    advanced_at=event.at,
                    signature=step.signature,
                )
            )
