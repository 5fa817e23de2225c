from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class Renter(Projection, kw_only=True):
    """A wallet that rents, as its profile counts it."""

    __tablename__ = "renter"

    wallet: Mapped[Address] = mapped_column(primary_key=True)
    profile: Mapped[Address]
    registered_at: Mapped[Count]
    next_nonce: Mapped[U64] = mapped_column(default=0)
    active_rentals: Mapped[Count] = mapped_column(default=0)
    completed_rentals: Mapped[Count] = mapped_column(default=0)
    spent_usd: Mapped[U64] = mapped_column(default=0)
    """Micro-USD of machine time used, over all ended rentals."""
