from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class FeeSweep(Projection, kw_only=True):
    """How a vault's fees were divided, in base units of its mint."""

    __tablename__ = "fee_sweep"

    vault: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    burned: Mapped[U64]
    treasury: Mapped[U64]
    stakers: Mapped[U64]
    swept_by: Mapped[Address]
    at: Mapped[Count]
    signature: Mapped[Signature]
