from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Count, Signature, Table


class Cursor(Table, kw_only=True):
    """How far a source has been read without a gap: up to and including this transaction."""

    __tablename__ = "cursor"

    source: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Address of the program that is followed."""
    slot: Mapped[Count]
    transaction_index: Mapped[Count]
    signature: Mapped[Signature]
    block_time: Mapped[Count]
