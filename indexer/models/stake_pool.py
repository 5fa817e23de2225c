from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class StakePool(Projection, kw_only=True):
    """All stake, in base units of the market token, as the last event left it."""

    __tablename__ = "stake_pool"

    address: Mapped[Address] = mapped_column(primary_key=True)
    mint: Mapped[Address]
    token_account: Mapped[Address]
    epoch: Mapped[U64] = mapped_column(default=0)
    epoch_started_at: Mapped[Count]
    epoch_ends_at: Mapped[Count]
    active: Mapped[U64] = mapped_column(default=0)
    warming: Mapped[U64] = mapped_column(default=0)
    cooling: Mapped[U64] = mapped_column(default=0)
    seq: Mapped[U64]
