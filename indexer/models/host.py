from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Hash, Projection


class Host(Projection, kw_only=True):
    """Someone who offers machines."""

    __tablename__ = "host"

    address: Mapped[Address] = mapped_column(primary_key=True)
    authority: Mapped[Address] = mapped_column(index=True)
    seal_key: Mapped[Hash]
    approved: Mapped[bool] = mapped_column(default=False)
    registered_at: Mapped[Count]
    tracked_seconds: Mapped[U64] = mapped_column(default=0)
    up_seconds: Mapped[U64] = mapped_column(default=0)
    open_listings: Mapped[Count] = mapped_column(default=0)
    rating_sum: Mapped[U64] = mapped_column(default=0)
    """Ratings and ends, of all that its listings have handed over."""
    rating_weight: Mapped[U64] = mapped_column(default=0)
    completed: Mapped[Count] = mapped_column(default=0)
    failed: Mapped[Count] = mapped_column(default=0)
    score_bps: Mapped[Count | None] = mapped_column(default=None)
    """None before the first score."""
    score_round: Mapped[Count] = mapped_column(default=0)
    """Which of the host's scores it is; HostScore has its inputs."""
    points: Mapped[Count] = mapped_column(default=0)
    """GPU points of the open listings."""
    mfp_locked: Mapped[U64] = mapped_column(default=0)
    mfp_unlocking: Mapped[U64] = mapped_column(default=0)
    mfp_unlock_at: Mapped[Count] = mapped_column(default=0)
    seq: Mapped[U64]
