from __future__ import annotations

from anchor_client.generated.events import PricePosted
from indexer.handlers.step import Step
from indexer.models import PaymentMint, Price


def on_price_posted(event: PricePosted, step: Step) -> None:
    """The oracle posts a price."""
    mint = step.rows.change(PaymentMint, str(event.payment_mint))
    if mint is None:
        return step.unknown("payment_mint", event.payment_mint, event.seq)
    mint.seq = step.follow("payment_mint", event.payment_mint, mint.seq, event.seq)
    mint.price, mint.price_at = event.new, event.at
    price = Price(mint=mint.mint, seq=event.seq, price=event.new, at=event.at, signature=step.signature)
    step.rows.add(price)
