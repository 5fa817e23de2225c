from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, U128, Address, Count, Projection


class RewardStream(Projection, kw_only=True):
    """What stake earns in one mint. Accumulators are rewards per staked base unit, Q64, modulo 2^128."""

    __tablename__ = "reward_stream"

    number: Mapped[Count] = mapped_column(primary_key=True)
    mint: Mapped[Address]
    token_account: Mapped[Address]
    acc: Mapped[U128] = mapped_column(default=0)
    next_acc: Mapped[U128] = mapped_column(default=0)
    queued: Mapped[U64] = mapped_column(default=0)
    funded: Mapped[U64] = mapped_column(default=0)
    claimed: Mapped[U64] = mapped_column(default=0)
