from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, U128, Address, Count, Projection


class StakeReward(Projection, kw_only=True):
    """What a stake earned of one stream: `owed` when it was last settled, and the accumulators it goes on from."""

    __tablename__ = "stake_reward"

    stake: Mapped[Address] = mapped_column(primary_key=True)
    stream: Mapped[Count] = mapped_column(primary_key=True)
    owed: Mapped[U64] = mapped_column(default=0)
    claimed: Mapped[U64] = mapped_column(default=0)
    checkpoint: Mapped[U128] = mapped_column(default=0)
    warm_checkpoint: Mapped[U128] = mapped_column(default=0)
