from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class Vault(Projection, kw_only=True):
    """A vault's ledger as the events add up to it; equal to the account of the same `seq`, field by field."""

    __tablename__ = "vault"

    address: Mapped[Address] = mapped_column(primary_key=True)
    mint: Mapped[Address]
    shard: Mapped[Count]
    token_account: Mapped[Address]
    open_rentals: Mapped[U64] = mapped_column(default=0)
    liabilities: Mapped[U64] = mapped_column(default=0)
    fees_due: Mapped[U64] = mapped_column(default=0)
    stakers_due: Mapped[U64] = mapped_column(default=0)
    subsidy_pool: Mapped[U64] = mapped_column(default=0)
    total_deposited: Mapped[U64] = mapped_column(default=0)
    total_funded: Mapped[U64] = mapped_column(default=0)
    total_paid: Mapped[U64] = mapped_column(default=0)
    total_burned: Mapped[U64] = mapped_column(default=0)
    total_refunded: Mapped[U64] = mapped_column(default=0)
    total_swept: Mapped[U64] = mapped_column(default=0)
    total_stakers: Mapped[U64] = mapped_column(default=0)
    """Lifetime totals count modulo 2^64, as on chain."""
    seq: Mapped[U64]
