from __future__ import annotations

from anchor_client.generated.events import MarketUpdated
from indexer.handlers.step import Step
from indexer.models import Market, MarketChange, MarketParameterValue


def on_market_updated(event: MarketUpdated, step: Step) -> None:
    """A numeric parameter changes."""
    market = step.rows.change(Market, str(event.market))
    if market is None:
        return step.unknown("market", event.market, event.seq)
    market.seq = step.follow("market", event.market, market.seq, event.seq)
    name = event.parameter.name.lower()
    step.rows.add(
        MarketChange(
            entity=str(event.market),
            seq=event.seq,
            subject=name,
            old=str(event.old),
            new=str(event.new),
            changed_at=event.at,
            signature=step.signature,
        )
    )
    value = step.rows.change(MarketParameterValue, name)
    if value is None:
        step.rows.add(MarketParameterValue(name=name, value=event.new, changed_at=event.at))
    else:
        value.value = event.new
        value.changed_at = event.at
