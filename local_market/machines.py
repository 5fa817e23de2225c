"""The machines of a local market: some of the catalog's models, spread over its regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anchor_client.generated.constants import BPS, MAX_DURATION
from anchor_client.generated.types.gpu_terms import GpuTerms
from anchor_client.generated.types.listing_spec import ListingSpec
from anchor_client.rules.catalog import REGIONS, Region, find_gpu
from anchor_client.rules.gpu_model import GpuModel

SPOT_MINIMUM_BPS = 6_000
NVME = 0
CUDA = 1_208
DAY = 86_400
CONSUMER_MRL = 30 * DAY


@dataclass(frozen=True, slots=True)
class Chassis:
    """Each GPU's part of a machine. `network_mbps` are the links such machines come with, in turn."""

    cpu_cores: int
    ram_gb: int
    disk_gb: int
    disk_mbps: int
    network_mbps: tuple[int, ...]
    mrl_seconds: int


@dataclass(frozen=True, slots=True)
class Offer:
    """The machines of a model: micro-USD per GPU-hour, and the GPUs of each."""

    gpu_usd: int
    gpu_counts: tuple[int, ...]


OFFERS: Mapping[str, Offer] = {
    "nvidia-h100-pcie-80gb": Offer(2_760_000, (1, 1, 1, 2, 1, 1, 4, 1)),
    "nvidia-h100-sxm5-80gb": Offer(3_490_000, (1, 8, 2, 4)),
    "nvidia-h200-sxm5-141gb": Offer(3_990_000, (1, 8)),
    "nvidia-a100-sxm4-80gb": Offer(1_290_000, (1, 1, 4, 1, 8, 2, 1, 1, 4, 1, 8, 1)),
    "nvidia-a100-pcie-40gb": Offer(620_000, (1, 1, 2, 1, 1, 4, 1, 1)),
    "nvidia-rtx-4090-24gb": Offer(340_000, (1, 1, 2, 1, 1, 4, 1, 8, 1, 1, 2, 1) * 2),
}
"""Apart from the catalog's reference prices, which real markets open with."""

CHASSIS: Mapping[str, Chassis] = {
    "Hopper": Chassis(26, 180, 2_000, 6_500, (10_000, 25_000), MAX_DURATION),
    "Hopper+": Chassis(32, 240, 3_200, 6_800, (25_000,), MAX_DURATION),
    "Ampere": Chassis(16, 120, 1_000, 5_200, (10_000, 5_000), MAX_DURATION),
    "Ada Lovelace": Chassis(12, 64, 500, 3_500, (1_000, 2_000, 900), CONSUMER_MRL),
}


def machines_by_region() -> dict[str, list[ListingSpec]]:
    """Every machine, by region slug, in proportion to each region's nodes."""
    placed: dict[str, list[ListingSpec]] = {region.slug: [] for region in REGIONS}
    machines = [(find_gpu(slug), number) for slug, offer in OFFERS.items() for number in range(len(offer.gpu_counts))]
    for (model, number), region in zip(machines, _regions_in_proportion(len(machines)), strict=True):
        placed[region.slug].append(_machine(model, number, region))
    return placed


def gpu_terms(model: GpuModel) -> GpuTerms:
    """Terms of a model in a local market's catalog: its machines' price is the reference."""
    return GpuTerms(points=model.points, reference_usd=OFFERS[model.slug].gpu_usd)


def _regions_in_proportion(count: int) -> list[Region]:
    """`count` regions, interleaved so that every stretch of them is about in proportion."""
    total = sum(region.seed_nodes for region in REGIONS)
    credit = {region.id: 0 for region in REGIONS}
    chosen = []
    for _ in range(count):
        for region in REGIONS:
            credit[region.id] += region.seed_nodes
        richest = max(REGIONS, key=lambda region: credit[region.id])
        credit[richest.id] -= total
        chosen.append(richest)
    return chosen


def _machine(model: GpuModel, number: int, region: Region) -> ListingSpec:
    chassis = CHASSIS[model.architecture]
    offer = OFFERS[model.slug]
    count = offer.gpu_counts[number]
    price = offer.gpu_usd * count
    down = chassis.network_mbps[number % len(chassis.network_mbps)]
    return ListingSpec(
        gpu_model=model.id,
        gpu_count=count,
        vram_gb=model.vram_gb,
        region=region.id,
        cpu_cores=chassis.cpu_cores * count,
        ram_gb=chassis.ram_gb * count,
        disk_kind=NVME,
        disk_gb=chassis.disk_gb * count,
        disk_mbps=chassis.disk_mbps,
        net_up_mbps=down // 2,
        net_down_mbps=down,
        cuda=CUDA,
        on_demand_usd=price,
        spot_min_usd=price * SPOT_MINIMUM_BPS // BPS,
        mrl_seconds=chassis.mrl_seconds,
        visible=True,
        keep_days=0,
    )
