from __future__ import annotations

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class Listing(Projection, kw_only=True):
    """A machine on offer. Prices are micro-USD per machine-hour."""

    __tablename__ = "listing"
    __table_args__ = (
        Index(None, "closed_at", "on_demand_usd", "address"),
        Index(None, "gpu_model", "closed_at", "on_demand_usd"),
    )

    address: Mapped[Address] = mapped_column(primary_key=True)
    host: Mapped[Address] = mapped_column(index=True)
    authority: Mapped[Address]
    number: Mapped[Count]
    gpu_model: Mapped[Count]
    gpu_count: Mapped[Count]
    vram_gb: Mapped[Count]
    region: Mapped[Count]
    cpu_cores: Mapped[Count]
    ram_gb: Mapped[Count]
    disk_kind: Mapped[Count]
    disk_gb: Mapped[Count]
    disk_mbps: Mapped[Count]
    net_up_mbps: Mapped[Count]
    net_down_mbps: Mapped[Count]
    cuda: Mapped[Count]
    on_demand_usd: Mapped[Count]
    spot_min_usd: Mapped[Count]
    mrl_seconds: Mapped[Count]
    visible: Mapped[bool]
    bandwidth_usd: Mapped[Count] = mapped_column(default=0, server_default="0")
    """Micro-USD per GB of traffic above the allowance."""
    bandwidth_free_gb: Mapped[Count] = mapped_column(default=0, server_default="0")
    storage_usd: Mapped[Count] = mapped_column(default=0, server_default="0")
    """Micro-USD per GB and hour of storage."""
    current: Mapped[Address | None] = mapped_column(default=None)
    """The rental that holds the machine."""
    challenger: Mapped[Address | None] = mapped_column(default=None)
    """The rental that waits for it."""
    preempt_at: Mapped[Count | None] = mapped_column(default=None)
    """When the challenger may take over."""
    created_at: Mapped[Count]
    idle_since: Mapped[Count]
    closed_at: Mapped[Count] = mapped_column(default=0)
    """Zero while the listing exists."""
    last_heartbeat_at: Mapped[Count] = mapped_column(default=0)
    tracked_seconds: Mapped[U64] = mapped_column(default=0)
    up_seconds: Mapped[U64] = mapped_column(default=0)
    opened: Mapped[Count] = mapped_column(default=0)
    completed: Mapped[Count] = mapped_column(default=0)
    failed: Mapped[Count] = mapped_column(default=0)
    rating_sum: Mapped[U64] = mapped_column(default=0)
    rating_weight: Mapped[U64] = mapped_column(default=0)
    issues: Mapped[Count] = mapped_column(default=0)
    """What renters have reported."""
    points: Mapped[Count] = mapped_column(default=0)
    """GPU points of the machine."""
    seq: Mapped[U64]
