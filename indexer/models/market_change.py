from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class MarketChange(Projection, kw_only=True):
    """One change of the configuration, old and new: parameters, keys, pauses and payment mints' terms."""

    __tablename__ = "market_change"
    __table_args__ = (Index(None, "subject", "changed_at"),)

    entity: Mapped[Address] = mapped_column(primary_key=True)
    """The market or the payment mint that changed."""
    seq: Mapped[U64] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(String(64), primary_key=True)
    """The parameter's, key's, area's or term's name."""
    old: Mapped[str | None] = mapped_column(String(64))
    new: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[Count]
    signature: Mapped[Signature]
