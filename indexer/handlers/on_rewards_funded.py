from __future__ import annotations

from anchor_client.generated.events import RewardsFunded
from indexer.handlers.stakes import follow_pool
from indexer.handlers.step import Step
from indexer.models import RewardStream


def on_rewards_funded(event: RewardsFunded, step: Step) -> None:
    """Somebody adds rewards for the next epoch."""
    follow_pool(step, event.pool_seq)
    stream = step.rows.change(RewardStream, event.stream)
    if stream is not None:
        stream.queued, stream.funded = event.queued, event.funded
