"""A payment mint's terms as rows of the configuration's history."""

from __future__ import annotations

from enum import Enum

from anchor_client.generated.types import PaymentMintTerms
from indexer.handlers.step import Step
from indexer.models import MarketChange


def record_terms(
    step: Step, payment_mint: str, seq: int, at: int, old: PaymentMintTerms | None, new: PaymentMintTerms
) -> None:
    """One row for each term that differs; all of them for a new mint."""
    before = {} if old is None else old.field_values()
    for name, value in new.field_values().items():
        if old is not None and before[name] == value:
            continue
        change = MarketChange(
            entity=payment_mint,
            seq=seq,
            subject=name,
            old=None if old is None else _text(before[name]),
            new=_text(value),
            changed_at=at,
            signature=step.signature,
        )
        step.rows.add(change)


def _text(value: object) -> str:
    if isinstance(value, Enum):
        return value.name.lower()
    return str(int(value)) if isinstance(value, bool) else str(value)
