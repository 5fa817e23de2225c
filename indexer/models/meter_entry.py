from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class MeterEntry(Projection, kw_only=True):
    """What happened to a meter: usage reported, disputed, accepted or dropped, and payments to the host."""

    __tablename__ = "meter_entry"

    meter: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    """opened, reported, disputed, accepted, dropped, paid, ended or closed."""
    amount: Mapped[U64]
    bandwidth_mb: Mapped[U64]
    storage_gb_hours: Mapped[U64]
    at: Mapped[Count]
    signature: Mapped[Signature]
