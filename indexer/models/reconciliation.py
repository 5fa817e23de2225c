from __future__ import annotations

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Table


class Reconciliation(Table, kw_only=True):
    """The last comparison of a vault's ledger here with its account on chain."""

    __tablename__ = "reconciliation"

    vault: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64]
    slot: Mapped[Count]
    checked_at: Mapped[Count]
    difference: Mapped[str | None] = mapped_column(Text)
    """What differs, null when nothing does."""
