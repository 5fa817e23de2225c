from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Data, Hash, Projection, Signature


class Rental(Projection, kw_only=True):
    """A rental from its opening on, closed ones included. Amounts are base units of `mint`, rates per hour."""

    __tablename__ = "rental"
    __table_args__ = (
        Index(None, "opened_at", "address"),
        Index(None, "renter", "opened_at", "address"),
        Index(None, "renter", "order_hash"),
        Index(None, "status", "opened_at", "address"),
        Index(None, "region", "opened_at", "address"),
    )

    address: Mapped[Address] = mapped_column(primary_key=True)
    renter: Mapped[Address]
    listing: Mapped[Address] = mapped_column(index=True)
    host: Mapped[Address] = mapped_column(index=True)
    mint: Mapped[Address]
    shard: Mapped[Count]
    nonce: Mapped[U64]
    kind: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    """queued, provisioning, running, completed, failed, cancelled or preempted."""
    gpu_model: Mapped[Count]
    gpu_count: Mapped[Count]
    region: Mapped[Count]
    duration: Mapped[Count]
    deposit: Mapped[U64]
    subsidy: Mapped[U64]
    rate: Mapped[U64]
    subsidy_rate: Mapped[U64]
    burn_rate: Mapped[U64]
    fee_rate: Mapped[U64]
    rate_usd: Mapped[Count]
    holdback_bps: Mapped[Count]
    provision_timeout: Mapped[Count]
    offline_after: Mapped[Count]
    tip_lamports: Mapped[Count]
    order_hash: Mapped[Hash]
    connection: Mapped[Data | None] = mapped_column(default=None)
    """Sealed to the renter's key."""
    opened_at: Mapped[Count]
    started_at: Mapped[Count | None] = mapped_column(default=None)
    paid_until: Mapped[Count | None] = mapped_column(default=None)
    closed_at: Mapped[Count | None] = mapped_column(default=None)
    open_signature: Mapped[Signature]
    close_signature: Mapped[Signature | None] = mapped_column(default=None)
    close_reason: Mapped[str | None] = mapped_column(String(32), default=None)
    closed_by: Mapped[Address | None] = mapped_column(default=None)
    settled: Mapped[Count] = mapped_column(default=0)
    """Seconds the host has been paid for."""
    used: Mapped[Count] = mapped_column(default=0)
    paid: Mapped[U64] = mapped_column(default=0)
    fees: Mapped[U64] = mapped_column(default=0)
    burned: Mapped[U64] = mapped_column(default=0)
    refunded: Mapped[U64] = mapped_column(default=0)
    subsidy_returned: Mapped[U64] = mapped_column(default=0)
    rating: Mapped[Count | None] = mapped_column(default=None)
    seq: Mapped[U64]
