"""The GPU models and regions that listings name by number. Figures are per GPU, prices what a market starts from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from anchor_client.errors import UnknownGpu, UnknownRegion
from anchor_client.rules.gpu_model import GpuModel, read_models, unnamed

MODEL_NUMBERS = 2**16
"""The number of a model or region is below."""


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


REGIONS = (
    Region(1, "us-east", "US East", "Ohio", 323, 12, 39.96, -83.00),
    Region(2, "us-west", "US West", "N. California", 169, 8, 37.35, -121.95),
    Region(3, "eu-west", "EU West", "Paris", 16, 9, 48.86, 2.35),
    Region(4, "ap-south", "AP South", "Mumbai", 679, 5, 19.08, 72.88),
    Region(5, "us-central", "US Central", "Iowa", 413, 4, 41.59, -93.62),
)

ALL_GPU_MODELS = read_models()
GPU_MODELS = tuple(model for model in ALL_GPU_MODELS if model.seed_usd)
"""Those that a market opens with."""
GPU_BY_ID: Mapping[int, GpuModel] = {model.id: model for model in ALL_GPU_MODELS}
GPU_BY_SLUG: Mapping[str, GpuModel] = {model.slug: model for model in ALL_GPU_MODELS}
REGION_BY_ID: Mapping[int, Region] = {region.id: region for region in REGIONS}
REGION_BY_SLUG: Mapping[str, Region] = {region.slug: region for region in REGIONS}

EARTH_RADIUS_KM = 6_371


def find_gpu(slug: str) -> GpuModel:
    """The model of a slug, or of the number of one that has no slug. UnknownGpu."""
    if _is_number(slug) and int(slug):
        return gpu_of(int(slug))
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


def gpu_of(number: int) -> GpuModel:
    """The model of a number; one without a slug when the catalog has no such model."""
    return GPU_BY_ID.get(number) or unnamed(number)


def gpu_slug(number: int) -> str:
    """The slug of a model; its number when the catalog has no such model."""
    return gpu_of(number).slug


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
    north = math.radians(one.latitude)
    south = math.radians(other.latitude)
    between = math.radians(other.longitude - one.longitude)
    half = math.sin((south - north) / 2) ** 2 + math.cos(north) * math.cos(south) * math.sin(between / 2) ** 2
    return round(2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half)))
