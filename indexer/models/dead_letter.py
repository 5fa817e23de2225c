from __future__ import annotations

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Count, Data, Signature, Table


class DeadLetter(Table, kw_only=True):
    """An event of our program that could not be read. `rebuild` takes it up once the client can."""

    __tablename__ = "dead_letter"

    signature: Mapped[Signature] = mapped_column(primary_key=True)
    instruction_index: Mapped[int] = mapped_column(primary_key=True)
    inner_index: Mapped[int] = mapped_column(primary_key=True)
    slot: Mapped[Count]
    transaction_index: Mapped[Count]
    block_time: Mapped[Count]
    data: Mapped[Data]
    error: Mapped[str] = mapped_column(String(64))
    detail: Mapped[str] = mapped_column(Text)
