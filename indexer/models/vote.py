from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Vote(Projection, kw_only=True):
    """A wallet's vote on a proposal; `weight` is its active stake when it voted, in base units."""

    __tablename__ = "vote"

    proposal: Mapped[Address] = mapped_column(primary_key=True)
    voter: Mapped[Address] = mapped_column(primary_key=True, index=True)
    support: Mapped[bool]
    weight: Mapped[U64]
    at: Mapped[Count]
    closed_at: Mapped[Count | None] = mapped_column(default=None)
    """When the voter had the rent of the vote back."""
    signature: Mapped[Signature]
