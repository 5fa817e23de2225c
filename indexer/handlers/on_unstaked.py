from __future__ import annotations

from anchor_client.generated.events import Unstaked
from indexer.handlers.stakes import follow_pool, settle
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import RewardStream


def on_unstaked(event: Unstaked, step: Step) -> None:
    """Stake begins to cool down; what it would have earned goes back to the queues."""
    follow_pool(step, event.pool_seq, event.pool)
    for number, forfeited in enumerate(event.forfeited):
        stream = step.rows.change(RewardStream, number) if forfeited else None
        if stream is not None:
            stream.queued = wrapping_add(stream.queued, forfeited)
    settle(step, event.stake, event.seq, event.state)
