from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class HostScore(Projection, kw_only=True):
    """A host's score in basis points, and what it was made of; weights are micro-USD that raters had paid."""

    __tablename__ = "host_score"

    host: Mapped[Address] = mapped_column(primary_key=True)
    round: Mapped[Count] = mapped_column(primary_key=True)
    score_bps: Mapped[Count]
    tracked_seconds: Mapped[U64]
    up_seconds: Mapped[U64]
    rating_sum: Mapped[U64]
    rating_weight: Mapped[U64]
    completed: Mapped[Count]
    failed: Mapped[Count]
    at: Mapped[Count]
    signature: Mapped[Signature]
