from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Count, Data, Signature, Table


class RawEvent(Table, kw_only=True):
    """An event as the program wrote it, behind its tag; what every projection is made from."""

    __tablename__ = "raw_event"
    __table_args__ = (Index(None, "slot", "transaction_index", "instruction_index", "inner_index"),)

    signature: Mapped[Signature] = mapped_column(primary_key=True)
    instruction_index: Mapped[int] = mapped_column(primary_key=True)
    inner_index: Mapped[int] = mapped_column(primary_key=True)
    slot: Mapped[Count]
    transaction_index: Mapped[Count]
    """Place of the transaction in its block."""
    block_time: Mapped[Count]
    name: Mapped[str] = mapped_column(String(64))
    data: Mapped[Data]
