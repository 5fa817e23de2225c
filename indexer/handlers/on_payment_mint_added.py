from __future__ import annotations

from anchor_client.generated.events import PaymentMintAdded
from indexer.handlers.step import Step
from indexer.handlers.terms import record_terms
from indexer.models import PaymentMint, Price


def on_payment_mint_added(event: PaymentMintAdded, step: Step) -> None:
    """Orders may be paid in a mint."""
    terms = event.terms
    step.rows.add(
        PaymentMint(
            address=str(event.payment_mint),
            mint=str(event.mint),
            decimals=event.decimals,
            oracle_kind=terms.oracle_kind.name.lower(),
            oracle=str(terms.oracle),
            enabled=terms.enabled,
            shards=terms.shards,
            max_age=terms.max_age,
            subsidy_bps=terms.subsidy_bps,
            burn_bps=terms.burn_bps,
            extra_fee_bps=terms.extra_fee_bps,
            price=terms.pinned_price,
            price_at=event.at if terms.pinned_price else 0,
            seq=step.follow("payment_mint", event.payment_mint, 0, event.seq),
        )
    )
    record_terms(step, str(event.payment_mint), event.seq, event.at, None, terms)
    if terms.pinned_price:
        step.rows.add(
            Price(mint=str(event.mint), seq=event.seq, price=terms.pinned_price, at=event.at, signature=step.signature)
        )
