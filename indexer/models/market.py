from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class Market(Projection, kw_only=True):
    """The market's keys and pauses; its parameters are in `market_parameter`."""

    __tablename__ = "market"

    address: Mapped[Address] = mapped_column(primary_key=True)
    authority: Mapped[Address]
    guardian: Mapped[Address]
    market_mint: Mapped[Address]
    treasury: Mapped[Address]
    paused: Mapped[Count]
    """One bit an area, as on chain."""
    seq: Mapped[U64]
    created_at: Mapped[Count]
