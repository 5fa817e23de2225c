from __future__ import annotations

from anchor_client.generated.events import PaymentMintUpdated
from anchor_client.generated.types import OracleKind
from indexer.handlers.step import Step
from indexer.handlers.terms import record_terms
from indexer.models import PaymentMint, Price


def on_payment_mint_updated(event: PaymentMintUpdated, step: Step) -> None:
    """A payment mint's terms change. A posted price ends when its oracle does."""
    mint = step.rows.change(PaymentMint, str(event.payment_mint))
    if mint is None:
        return step.unknown("payment_mint", event.payment_mint, event.seq)
    mint.seq = step.follow("payment_mint", event.payment_mint, mint.seq, event.seq)
    old, new = event.old, event.new
    mint.oracle_kind = new.oracle_kind.name.lower()
    mint.oracle = str(new.oracle)
    mint.enabled = new.enabled
    mint.shards = new.shards
    mint.max_age = new.max_age
    mint.subsidy_bps = new.subsidy_bps
    mint.burn_bps = new.burn_bps
    mint.extra_fee_bps = new.extra_fee_bps
    if new.oracle_kind is OracleKind.PINNED:
        mint.price, mint.price_at = new.pinned_price, event.at
        price = Price(mint=mint.mint, seq=event.seq, price=new.pinned_price, at=event.at, signature=step.signature)
        step.rows.add(price)
    elif old.oracle_kind is not new.oracle_kind or old.oracle != new.oracle:
        mint.price, mint.price_at = 0, 0
    record_terms(step, mint.address, event.seq, event.at, old, new)
