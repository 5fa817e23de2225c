from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Count, Projection, Signature


class EpochReward(Projection, kw_only=True):
    """Rewards of one mint that an epoch shares between `active` base units of stake."""

    __tablename__ = "epoch_reward"

    epoch: Mapped[U64] = mapped_column(primary_key=True)
    stream: Mapped[Count] = mapped_column(primary_key=True)
    amount: Mapped[U64]
    active: Mapped[U64]
    advanced_at: Mapped[Count]
    signature: Mapped[Signature]
