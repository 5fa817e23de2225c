"""Requests for any machine of a kind."""

from __future__ import annotations

from sqlalchemy import Index

from indexer.models.base import U64, Address, Count, Entity, Hash, Signature, Word, table


@table(
    Index(None, "created_at", "address"),
    Index(None, "renter", "created_at", "address"),
    Index(None, "renter", "order_hash"),
    Index(None, "status", "created_at", "address"),
)
class Request(Entity):
    """An order for any machine of a kind, ended ones included. Amounts are base units of `mint`."""

    renter: Address
    mint: Address
    shard: Count
    nonce: U64
    kind: Word
    status: Word
    """open, matched, cancelled or expired."""
    gpu_model: Count
    gpu_count: Count
    regions: U64
    """One bit for each region that will do; zero takes any."""
    near_region: Count
    min_score_bps: Count
    min_vram_gb: Count
    min_cuda: Count
    min_ram_gb: Count
    min_disk_gb: Count
    min_net_up_mbps: Count
    min_net_down_mbps: Count
    duration: Count
    max_usd: U64
    deposit: U64
    order_hash: Hash
    tip_lamports: Count
    created_at: Count
    expires_at: Count
    open_tx: Signature
    ended_at: Count | None = None
    close_tx: Signature | None = None
    finalized_by: Address | None = None
    refunded: U64 = 0
    rental: Address | None = None
    """The rental that a match has opened."""
    listing: Address | None = None
