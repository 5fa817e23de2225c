from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Rating(Projection, kw_only=True):
    """A renter's rating of a rental, 1 to 5; `weight` is micro-USD that the renter had paid by then."""

    __tablename__ = "rating"

    rental: Mapped[Address] = mapped_column(primary_key=True)
    listing: Mapped[Address] = mapped_column(index=True)
    host: Mapped[Address] = mapped_column(index=True)
    rating: Mapped[Count]
    weight: Mapped[U64]
    at: Mapped[Count]
    signature: Mapped[Signature]
