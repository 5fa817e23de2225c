from __future__ import annotations

from anchor_client.generated.events import StakeClosed
from indexer.handlers.step import Step
from indexer.models import Stake


def on_stake_closed(event: StakeClosed, step: Step) -> None:
    """An empty stake account goes; one that opens at its address again counts from one."""
    stake = step.rows.change(Stake, str(event.stake))
    if stake is None:
        return step.unknown("stake", event.stake, event.seq)
    step.follow("stake", event.stake, stake.seq, event.seq)
    stake.seq, stake.closed_at = 0, event.at
