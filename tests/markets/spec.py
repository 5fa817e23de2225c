"""The machine that hosts list in every test's market."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from anchor_client.generated.types.listing_spec import ListingSpec

DAY: Final = 86_400
ON_DEMAND_USD: Final = 7_380_001
"""Micro-USD per hour; odd, so that every division leaves a remainder."""

SPEC: Final = ListingSpec(
    gpu_model=1,
    gpu_count=2,
    vram_gb=80,
    region=3,
    cpu_cores=32,
    ram_gb=256,
    disk_kind=0,
    disk_gb=2_000,
    disk_mbps=6_000,
    net_up_mbps=1_000,
    net_down_mbps=2_500,
    cuda=1_204,
    on_demand_usd=ON_DEMAND_USD,
    spot_min_usd=1_900_000,
    mrl_seconds=100 * DAY,
    visible=True,
    keep_days=7,
)
"""Two H100s in Paris."""


def spec_with(**changes: Any) -> ListingSpec:
    """The machine with some fields changed."""
    return replace(SPEC, **changes)


NOTHING_MORE: dict[str, int] = dict.fromkeys(
    ("min_vram_gb", "min_cuda", "min_ram_gb", "min_disk_gb", "min_net_up_mbps", "min_net_down_mbps"), 0
)
"""Requirements of a request beyond its GPUs: none."""
