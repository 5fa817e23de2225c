from __future__ import annotations

from anchor_client.generated.events import PoolInitialized
from indexer.handlers.step import Step
from indexer.models import StakePool


def on_pool_initialized(event: PoolInitialized, step: Step) -> None:
    """Staking opens."""
    step.rows.add(
        StakePool(
            address=str(event.pool),
            mint=str(event.mint),
            token_account=str(event.token_account),
            epoch_started_at=event.at,
            epoch_ends_at=event.epoch_ends_at,
            seq=step.follow("stake_pool", event.pool, 0, event.pool_seq),
        )
    )
