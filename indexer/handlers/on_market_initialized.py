from __future__ import annotations

from anchor_client.generated.events import MarketInitialized
from indexer.handlers.step import Step
from indexer.models import Market


def on_market_initialized(event: MarketInitialized, step: Step) -> None:
    """The market opens."""
    step.rows.add(
        Market(
            address=str(event.market),
            authority=str(event.authority),
            guardian=str(event.guardian),
            market_mint=str(event.market_mint),
            treasury=str(event.treasury),
            paused=0,
            seq=step.follow("market", event.market, 0, event.seq),
            created_at=event.at,
        )
    )
