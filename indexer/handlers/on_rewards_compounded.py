from __future__ import annotations

from anchor_client.generated.events import RewardsCompounded
from indexer.handlers.claims import enter_claim
from indexer.handlers.stakes import follow_pool, settle
from indexer.handlers.step import Step


def on_rewards_compounded(event: RewardsCompounded, step: Step) -> None:
    """A staker's rewards in the market token become stake."""
    follow_pool(step, event.pool_seq, event.pool)
    settle(step, event.stake, event.seq, event.state, warms=True)
    enter_claim(event, step, compounded=True)
