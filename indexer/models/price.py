from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Price(Projection, kw_only=True):
    """A mint's price from `at` on, in pico-USD per whole token."""

    __tablename__ = "price"

    mint: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    price: Mapped[U64]
    at: Mapped[Count]
    signature: Mapped[Signature]
