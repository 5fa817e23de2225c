"""Charges for traffic and storage."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, Entry, Signature, Word, table


@table(Index(None, "rental"), Index(None, "authority", "opened_at"))
class Meter(Entity):
    """A rental's optional charges as the last event left them, closed ones included, in base units of `mint`."""

    rental: Address
    renter: Address
    listing: Address
    authority: Address
    """The host's wallet."""
    mint: Address
    shard: Count
    cap: U64
    bandwidth_usd: Count
    bandwidth_free_gb: Count
    storage_usd: Count
    bandwidth_rate: U64
    """Base units per TB of traffic above the allowance."""
    storage_rate: U64
    """Base units per 1000 GB-hours."""
    storage_gb: Count
    charge_window: Count
    bandwidth_mb: U64 = 0
    storage_gb_hours: U64 = 0
    accepted: U64 = 0
    paid: U64 = 0
    pending: U64 = 0
    """Becomes accepted after `dispute_by` without an act."""
    disputed: U64 = 0
    refunded: U64 = 0
    kept: U64 = 0
    """Loss of the host, a fee, since their account could not take it for a whole window."""
    dispute_by: Count = 0
    resolve_by: Count = 0
    opened_at: Count
    paid_until: Count
    """Until when storage is charged, unless the rental ends before; zero until the rental was seen running."""
    ended_at: Count | None = None
    closed_at: Count | None = None
    open_tx: Signature
    close_tx: Signature | None = None


@table()
class MeterEntry(Entry):
    """An event of a meter, such as usage reported, disputed, accepted or dropped, or a payment to the host."""

    meter: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    kind: Word
    """opened, reported, disputed, accepted, dropped, paid, ended or closed."""
    amount: U64
    bandwidth_mb: U64
    storage_gb_hours: U64
