from __future__ import annotations

from anchor_client.generated.events import AuthorityHandedOver
from indexer.handlers.step import Step
from indexer.models import Market, MarketChange


def on_authority_handed_over(event: AuthorityHandedOver, step: Step) -> None:
    """The stakers' vote becomes the market's authority."""
    market = step.rows.change(Market, str(event.market))
    if market is None:
        return step.unknown("market", event.market, event.seq)
    market.seq = step.follow("market", event.market, market.seq, event.seq)
    market.authority = str(event.new)
    step.rows.add(
        MarketChange(
            entity=str(event.market),
            seq=event.seq,
            subject="authority",
            old=str(event.old),
            new=str(event.new),
            changed_at=event.at,
            signature=step.signature,
        )
    )
