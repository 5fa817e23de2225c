from __future__ import annotations

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Hash, Projection, Signature


class Request(Projection, kw_only=True):
    """An order for any machine of a kind, ended ones included. Amounts are base units of `mint`."""

    __tablename__ = "request"
    __table_args__ = (
        Index(None, "opened_at", "address"),
        Index(None, "renter", "opened_at", "address"),
        Index(None, "renter", "order_hash"),
        Index(None, "status", "opened_at", "address"),
    )

    address: Mapped[Address] = mapped_column(primary_key=True)
    renter: Mapped[Address]
    mint: Mapped[Address]
    shard: Mapped[Count]
    nonce: Mapped[U64]
    kind: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    """open, matched, cancelled or expired."""
    gpu_model: Mapped[Count]
    gpu_count: Mapped[Count]
    regions: Mapped[U64]
    """One bit for each region that will do; zero takes any."""
    near_region: Mapped[Count]
    min_score_bps: Mapped[Count]
    duration: Mapped[Count]
    max_usd: Mapped[U64]
    deposit: Mapped[U64]
    order_hash: Mapped[Hash]
    tip_lamports: Mapped[Count]
    opened_at: Mapped[Count]
    expires_at: Mapped[Count]
    open_signature: Mapped[Signature]
    ended_at: Mapped[Count | None] = mapped_column(default=None)
    end_signature: Mapped[Signature | None] = mapped_column(default=None)
    ended_by: Mapped[Address | None] = mapped_column(default=None)
    refunded: Mapped[U64] = mapped_column(default=0)
    rental: Mapped[Address | None] = mapped_column(default=None)
    """The rental that a match has opened."""
    listing: Mapped[Address | None] = mapped_column(default=None)
    seq: Mapped[U64]
