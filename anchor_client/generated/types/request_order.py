"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct

from .rental_kind import RentalKind


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RequestOrder(Struct):
    """Terms that a renter asks for when any machine of a kind will do."""

    LAYOUT: ClassVar[Fields] = Fields(
        kind=layouts.unit_enum(RentalKind),
        gpu_model=layouts.U16,
        gpu_count=layouts.U8,
        regions=layouts.U64,
        near_region=layouts.U8,
        min_score_bps=layouts.U16,
        duration=layouts.U32,
        max_usd=layouts.U64,
        deposit=layouts.U64,
        expires_at=layouts.I64,
        order_hash=layouts.byte_array(32),
        min_vram_gb=layouts.U16,
        min_cuda=layouts.U16,
        min_ram_gb=layouts.U32,
        min_disk_gb=layouts.U32,
        min_net_up_mbps=layouts.U32,
        min_net_down_mbps=layouts.U32,
    )

    kind: RentalKind
    gpu_model: int
    """Number of the model in the catalog."""
    gpu_count: int
    regions: int
    """One bit for each region that will do; zero takes any."""
    near_region: int
    """Of machines that all fit, those near this region should come first: 255 for none."""
    min_score_bps: int
    """Least reputation of the host, in basis points."""
    duration: int
    max_usd: int
    """The most a machine-hour may cost, in micro-USD, fees not included."""
    deposit: int
    """Escrow of the renter, in base units: the cost at `max_usd` or more, for a token price that falls."""
    expires_at: int
    order_hash: bytes
    """SHA-256 of the order document."""
    min_vram_gb: int
    """The least that the machine must have; zero asks for nothing. VRAM is of each GPU, CUDA major × 100 + minor."""
    min_cuda: int
    min_ram_gb: int
    min_disk_gb: int
    min_net_up_mbps: int
    min_net_down_mbps: int
