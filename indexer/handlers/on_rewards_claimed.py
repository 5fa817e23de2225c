from __future__ import annotations

from anchor_client.generated.events import RewardsClaimed
from indexer.handlers.claims import enter_claim
from indexer.handlers.stakes import follow_pool, settle
from indexer.handlers.step import Step


def on_rewards_claimed(event: RewardsClaimed, step: Step) -> None:
    """A staker takes the rewards of one stream."""
    follow_pool(step, event.pool_seq)
    settle(step, event.stake, event.seq, event.state)
    enter_claim(event, step, compounded=False)
