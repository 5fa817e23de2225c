"""The GPU models and regions that listings name by number. Figures are per GPU, prices what a market starts from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from anchor_client.errors import UnknownGpu, UnknownRegion
from anchor_client.generated.types import GpuTerms

H100_TFLOPS = 3_958
MODEL_NUMBERS = 2**16
"""The number of a model or region is below."""


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A model: `id` is what a listing carries, `slug` what people and programs type."""

    id: int
    slug: str
    name: str
    architecture: str
    vram_gb: int
    memory: str
    fp16_tflops: int
    tdp_watts: int
    seed_usd: int
    """Market price when the catalog was made, micro-USD per GPU-hour."""
    seed_count: int

    @property
    def points(self) -> int:
        """GPU points: FP16 throughput against an H100's, which has 100."""
        return (self.fp16_tflops * 100 + H100_TFLOPS // 2) // H100_TFLOPS

    @property
    def terms(self) -> GpuTerms:
        """What the market's catalog starts with: the price up to which it subsidises is the one when it was made."""
        return GpuTerms(points=self.points, reference_usd=self.seed_usd)


@dataclass(frozen=True, slots=True)
class Region:
    """A region; `grid_grams_per_kwh` is the carbon intensity of its electricity."""

    id: int
    slug: str
    name: str
    location: str
    grid_grams_per_kwh: int
    seed_nodes: int
    latitude: float
    """Degrees north and east of where its machines are."""
    longitude: float


GPU_MODELS = (
    GpuModel(1, "nvidia-h100-pcie-80gb", "H100 PCIe", "Hopper", 80, "HBM3", 3_958, 350, 2_760_000, 8),
    GpuModel(2, "nvidia-h100-sxm5-80gb", "H100 SXM5", "Hopper", 80, "HBM3e", 3_958, 700, 1_840_000, 4),
    GpuModel(3, "nvidia-h200-sxm5-141gb", "H200 SXM5", "Hopper+", 141, "HBM3e", 4_915, 700, 3_260_000, 2),
    GpuModel(4, "nvidia-a100-sxm4-80gb", "A100 SXM4", "Ampere", 80, "HBM2e", 2_496, 400, 390_000, 12),
    GpuModel(5, "nvidia-a100-pcie-40gb", "A100 PCIe", "Ampere", 40, "HBM2", 1_248, 250, 620_000, 8),
    GpuModel(6, "nvidia-rtx-4090-24gb", "RTX 4090", "Ada Lovelace", 24, "GDDR6X", 1_321, 450, 190_000, 24),
)

REGIONS = (
    Region(1, "us-east", "US East", "Ohio", 323, 12, 39.96, -83.00),
    Region(2, "us-west", "US West", "N. California", 169, 8, 37.35, -121.95),
    Region(3, "eu-west", "EU West", "Paris", 16, 9, 48.86, 2.35),
    Region(4, "ap-south", "AP South", "Mumbai", 679, 5, 19.08, 72.88),
    Region(5, "us-central", "US Central", "Iowa", 413, 4, 41.59, -93.62),
)

GPU_BY_ID: Mapping[int, GpuModel] = {model.id: model for model in GPU_MODELS}
GPU_BY_SLUG: Mapping[str, GpuModel] = {model.slug: model for model in GPU_MODELS}
REGION_BY_ID: Mapping[int, Region] = {region.id: region for region in REGIONS}
REGION_BY_SLUG: Mapping[str, Region] = {region.slug: region for region in REGIONS}

EARTH_RADIUS_KM = 6_371


def find_gpu(slug: str) -> GpuModel:
    """The model of a slug. UnknownGpu."""
    model = GPU_BY_SLUG.get(slug.lower())
    if model is None:
        raise UnknownGpu(slug, GPU_BY_SLUG)
    return model


def find_region(slug: str) -> Region:
    """The region of a slug. UnknownRegion."""
    region = REGION_BY_SLUG.get(slug.lower())
    if region is None:
        raise UnknownRegion(slug, REGION_BY_SLUG)
    return region


def gpu_slug(number: int) -> str:
    """The slug of a model; its number when the catalog has no such model."""
    model = GPU_BY_ID.get(number)
    return str(number) if model is None else model.slug


def gpu_number(slug: str) -> int:
    """The number that `gpu_slug` gave the slug for. UnknownGpu."""
    return int(slug) if _is_number(slug) else find_gpu(slug).id


def region_slug(number: int) -> str:
    """The slug of a region; its number when the catalog has no such region."""
    region = REGION_BY_ID.get(number)
    return str(number) if region is None else region.slug


def region_number(slug: str) -> int:
    """The number that `region_slug` gave the slug for. UnknownRegion."""
    return int(slug) if _is_number(slug) else find_region(slug).id


def _is_number(slug: str) -> bool:
    return slug.isascii() and slug.isdecimal() and int(slug) < MODEL_NUMBERS


def distance_km(one: Region, other: Region) -> int:
    """The great-circle distance between two regions, by the haversine formula."""
    north, south = math.radians(one.latitude), math.radians(other.latitude)
    between = math.radians(other.longitude - one.longitude)
    half = math.sin((south - north) / 2) ** 2 + math.cos(north) * math.cos(south) * math.sin(between / 2) ** 2
    return round(2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half)))
