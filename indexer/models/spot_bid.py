from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Address, Count, Projection, Signature


class SpotBid(Projection, kw_only=True):
    """An order that waited, or waits, for a machine that another rental held."""

    __tablename__ = "spot_bid"
    __table_args__ = (Index(None, "listing", "placed_at", "rental"),)

    rental: Mapped[Address] = mapped_column(primary_key=True)
    listing: Mapped[Address]
    holder: Mapped[Address]
    """The rental that it displaces."""
    renter: Mapped[Address]
    kind: Mapped[str] = mapped_column(String(16))
    rate_usd: Mapped[Count]
    """Micro-USD per machine-hour."""
    placed_at: Mapped[Count]
    preempt_at: Mapped[Count]
    outcome: Mapped[str] = mapped_column(String(32), default="waiting")
    """waiting, took_over, or the reason it was closed for."""
    decided_at: Mapped[Count | None] = mapped_column(default=None)
    signature: Mapped[Signature]
