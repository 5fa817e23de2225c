from __future__ import annotations

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Meter(Projection, kw_only=True):
    """A rental's optional charges as the last event left them, closed ones included, in base units of `mint`."""

    __tablename__ = "meter"
    __table_args__ = (Index(None, "rental"), Index(None, "authority", "opened_at"))

    address: Mapped[Address] = mapped_column(primary_key=True)
    rental: Mapped[Address]
    renter: Mapped[Address]
    listing: Mapped[Address]
    authority: Mapped[Address]
    """The host's wallet."""
    mint: Mapped[Address]
    shard: Mapped[Count]
    cap: Mapped[U64]
    bandwidth_usd: Mapped[Count]
    bandwidth_free_gb: Mapped[Count]
    storage_usd: Mapped[Count]
    bandwidth_rate: Mapped[U64]
    """Base units per TB of traffic above the allowance."""
    storage_rate: Mapped[U64]
    """Base units per 1000 GB-hours."""
    storage_gb: Mapped[Count]
    charge_window: Mapped[Count]
    bandwidth_mb: Mapped[U64] = mapped_column(default=0)
    storage_gb_hours: Mapped[U64] = mapped_column(default=0)
    accepted: Mapped[U64] = mapped_column(default=0)
    paid: Mapped[U64] = mapped_column(default=0)
    pending: Mapped[U64] = mapped_column(default=0)
    """Becomes accepted by itself after `dispute_by`."""
    disputed: Mapped[U64] = mapped_column(default=0)
    refunded: Mapped[U64] = mapped_column(default=0)
    dispute_by: Mapped[Count] = mapped_column(default=0)
    resolve_by: Mapped[Count] = mapped_column(default=0)
    opened_at: Mapped[Count]
    ended_at: Mapped[Count | None] = mapped_column(default=None)
    closed_at: Mapped[Count | None] = mapped_column(default=None)
    open_signature: Mapped[Signature]
    close_signature: Mapped[Signature | None] = mapped_column(default=None)
    seq: Mapped[U64]
