from __future__ import annotations

from anchor_client.generated.events import MarketKeyUpdated
from anchor_client.generated.types import MarketKey
from indexer.handlers.step import Step
from indexer.models import Market, MarketChange


def on_market_key_updated(event: MarketKeyUpdated, step: Step) -> None:
    """The guardian or the treasury is replaced."""
    market = step.rows.change(Market, str(event.market))
    if market is None:
        return step.unknown("market", event.market, event.seq)
    market.seq = step.follow("market", event.market, market.seq, event.seq)
    match event.key:
        case MarketKey.GUARDIAN:
            market.guardian = str(event.new)
        case MarketKey.TREASURY:
            market.treasury = str(event.new)
    step.rows.add(
        MarketChange(
            entity=str(event.market),
            seq=event.seq,
            subject=event.key.name.lower(),
            old=str(event.old),
            new=str(event.new),
            changed_at=event.at,
            signature=step.signature,
        )
    )
