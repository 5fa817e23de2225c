from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Settlement(Projection, kw_only=True):
    """A payment to a host, while its rental ran or as it ended, in base units of `mint`."""

    __tablename__ = "settlement"

    rental: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    host: Mapped[Address] = mapped_column(index=True)
    mint: Mapped[Address]
    paid: Mapped[U64]
    seconds: Mapped[Count]
    """Seconds of the rental paid for so far."""
    at: Mapped[Count]
    signature: Mapped[Signature]
