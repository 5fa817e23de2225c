from __future__ import annotations

from anchor_client.generated.events import Staked
from indexer.handlers.stakes import follow_pool, settle
from indexer.handlers.step import Step
from indexer.models import Stake


def on_staked(event: Staked, step: Step) -> None:
    """A wallet stakes, perhaps for the first time or again after it had closed its account."""
    follow_pool(step, event.pool_seq, event.pool)
    stake = step.rows.change(Stake, str(event.stake))
    if stake is not None:
        stake.closed_at = None
    elif event.seq == 1:
        step.rows.add(Stake(address=str(event.stake), owner=str(event.owner), staked_at=event.at, seq=0))
    settle(step, event.stake, event.seq, event.state, warms=True)
