from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class RentalIssue(Projection, kw_only=True):
    """What a renter found wrong with a machine."""

    __tablename__ = "rental_issue"

    rental: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    listing: Mapped[Address] = mapped_column(index=True)
    issue: Mapped[str] = mapped_column(String(16))
    """unreachable, not-as-listed, slow, network or other."""
    at: Mapped[Count]
    signature: Mapped[Signature]
