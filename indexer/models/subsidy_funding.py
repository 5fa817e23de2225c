from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class SubsidyFunding(Projection, kw_only=True):
    """Tokens that came into a vault's subsidy pool, in base units."""

    __tablename__ = "subsidy_funding"

    vault: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    funder: Mapped[Address]
    amount: Mapped[U64]
    at: Mapped[Count]
    signature: Mapped[Signature]
