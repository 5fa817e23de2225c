from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class SeqGap(Projection, kw_only=True):
    """An event whose `seq` does not follow the last one seen of its entity: something was missed."""

    __tablename__ = "seq_gap"

    entity: Mapped[Address] = mapped_column(primary_key=True)
    found: Mapped[U64] = mapped_column(primary_key=True)
    expected: Mapped[U64]
    kind: Mapped[str] = mapped_column(String(32))
    event: Mapped[str] = mapped_column(String(64))
    signature: Mapped[Signature]
    slot: Mapped[Count]
