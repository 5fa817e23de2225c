from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class RentalState(Projection, kw_only=True):
    """A state a rental entered, when, and why."""

    __tablename__ = "rental_state"

    rental: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(16))
    at: Mapped[Count]
    message: Mapped[str] = mapped_column(String(160))
    signature: Mapped[Signature]
