from __future__ import annotations

from anchor_client.generated.events import StakeWithdrawn
from indexer.handlers.stakes import follow_pool, settle
from indexer.handlers.step import Step


def on_stake_withdrawn(event: StakeWithdrawn, step: Step) -> None:
    """What has cooled down goes back to its owner."""
    follow_pool(step, event.pool_seq, event.pool)
    settle(step, event.stake, event.seq, event.state)
