"""Orders that wait for a machine."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import Address, Count, Projection, Signature, Word, table


@table(Index(None, "listing", "placed_at", "rental"))
class SpotBid(Projection):
    """An order that waited, or waits, for a machine that another rental held."""

    rental: Address = Field(primary_key=True)
    listing: Address
    holder: Address
    """The rental that it displaces."""
    renter: Address
    kind: Word
    rate_usd: Count
    """Micro-USD per machine-hour."""
    placed_at: Count
    preempt_at: Count
    outcome: Word = "waiting"
    """waiting, took_over, or the reason it was closed for."""
    decided_at: Count | None = None
    signature: Signature
