from __future__ import annotations

from anchor_client.generated.events import PauseChanged
from indexer.handlers.step import Step
from indexer.models import Market, MarketChange


def on_pause_changed(event: PauseChanged, step: Step) -> None:
    """An area of the market is paused or resumed."""
    market = step.rows.change(Market, str(event.market))
    if market is None:
        return step.unknown("market", event.market, event.seq)
    market.seq = step.follow("market", event.market, market.seq, event.seq)
    bit = 1 << event.area.value
    market.paused = market.paused | bit if event.new else market.paused & ~bit
    step.rows.add(
        MarketChange(
            entity=str(event.market),
            seq=event.seq,
            subject=f"paused_{event.area.name.lower()}",
            old=str(int(event.old)),
            new=str(int(event.new)),
            changed_at=event.at,
            signature=step.signature,
        )
    )
