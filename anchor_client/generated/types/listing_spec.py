"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingSpec(Struct):
    """Description of a machine by its host. The price and limits apply to new rentals only."""

    LAYOUT: ClassVar[Fields] = Fields(
        gpu_model=layouts.U16,
        gpu_count=layouts.U8,
        vram_gb=layouts.U16,
        region=layouts.U16,
        cpu_cores=layouts.U16,
        ram_gb=layouts.U32,
        disk_kind=layouts.U8,
        disk_gb=layouts.U32,
        disk_mbps=layouts.U32,
        net_up_mbps=layouts.U32,
        net_down_mbps=layouts.U32,
        cuda=layouts.U16,
        on_demand_usd=layouts.U64,
        spot_min_usd=layouts.U64,
        mrl_seconds=layouts.U32,
        visible=layouts.BOOL,
        keep_days=layouts.U16,
    )

    gpu_model: int
    """Number of the model in the catalog."""
    gpu_count: int
    vram_gb: int
    region: int
    cpu_cores: int
    ram_gb: int
    disk_kind: int
    """0 NVMe, 1 SSD, 2 HDD."""
    disk_gb: int
    disk_mbps: int
    net_up_mbps: int
    net_down_mbps: int
    cuda: int
    on_demand_usd: int
    """Micro-USD per machine-hour."""
    spot_min_usd: int
    """Least spot bid, micro-USD per machine-hour; zero takes no spot."""
    mrl_seconds: int
    """Maximum rental length, seconds."""
    visible: bool
    keep_days: int
    """Days for which a renter's workspace is kept for their next rental, if they ask for it."""
