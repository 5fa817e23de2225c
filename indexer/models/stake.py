from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class Stake(Projection, kw_only=True):
    """A wallet's stake in base units of the market token, as it was last settled."""

    __tablename__ = "stake"

    address: Mapped[Address] = mapped_column(primary_key=True)
    owner: Mapped[Address] = mapped_column(index=True)
    active: Mapped[U64] = mapped_column(default=0)
    warming: Mapped[U64] = mapped_column(default=0)
    cooling: Mapped[U64] = mapped_column(default=0)
    warm_at: Mapped[Count] = mapped_column(default=0)
    cool_at: Mapped[Count] = mapped_column(default=0)
    voting_until: Mapped[Count] = mapped_column(default=0)
    """Until when votes keep what is active in place."""
    staked_at: Mapped[Count]
    """When it first staked."""
    closed_at: Mapped[Count | None] = mapped_column(default=None)
    """When its account was closed; null while there is one."""
    seq: Mapped[U64]
