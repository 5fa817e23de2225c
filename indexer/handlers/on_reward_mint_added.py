from __future__ import annotations

from anchor_client.generated.events import RewardMintAdded
from indexer.handlers.stakes import follow_pool
from indexer.handlers.step import Step
from indexer.models import RewardStream


def on_reward_mint_added(event: RewardMintAdded, step: Step) -> None:
    """Stake earns in one more mint."""
    follow_pool(step, event.pool_seq)
    step.rows.add(RewardStream(number=event.stream, mint=str(event.mint), token_account=str(event.token_account)))
