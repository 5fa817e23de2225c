"""A GPU model of the catalog, with its offers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anchor_client.generated.types import RentalKind
from anchor_client.resources.base import Resource, about
from anchor_client.resources.rate import OrderRate, UsdRate
from anchor_client.rules.catalog import GPU_MODELS, gpu_of, region_slug
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.rules.hourly import PayableToken, Pricing
from anchor_client.service.optional import optional


@dataclass(frozen=True, slots=True)
class Machines:
    """Identical machines. Prices are micro-USD per hour: of a machine, `reference_usd` of a GPU."""

    gpu_model: int
    region: int
    gpu_count: int
    on_demand_usd: int
    spot_min_usd: int
    reference_usd: int
    mrl_seconds: int
    subsidy_left: int
    """Base units that orders may still draw on their host's budget today."""
    listed: int
    available: int


class RegionAvailability(Resource):
    """Machines of one model in one region."""

    region: str = about(examples=["eu-west"])
    listed: int = about(description="Machines on offer, taken ones included.")
    available: int = about(description="Idle and visible machines of approved hosts with a recent heartbeat.")


class Gpu(Resource):
    """A model of the catalog. Prices are per GPU-hour; a machine with several GPUs counts with the price's share.
    Unknown figures are 0.
    """

    id: str = about(examples=["nvidia-h100-pcie-80gb"])
    name: str = about(examples=["H100 PCIe"])
    architecture: str = about(examples=["Hopper"])
    vram_gb: int
    memory: str = about(examples=["HBM3"])
    fp32_tflops: float = about(description="FP32 throughput of vector units, without sparsity.")
    tensor_tflops: int = about(
        description="8-bit tensor throughput, or FP16 without 8-bit tensors; the measure for GPU points."
    )
    tdp_watts: int
    listed: int
    available: int
    regions: tuple[RegionAvailability, ...]
    verified: int | None = about(default=None, description="Verified machines on offer; only the index counts them.")
    market_rate: UsdRate | None = about(
        description="Lowest price of one GPU among free machines, or among all if none is free; null without any."
    )
    rates: tuple[OrderRate, ...] = about(
        description="The least that an order on demand placed now pays for an hour of one GPU, in each token, the "
        "market token first; among the same machines."
    )


def gpus_of(machines: Iterable[Machines], pricing: Pricing, verified: Mapping[int, int] | None = None) -> list[Gpu]:
    """The models of a new market and all others that are listed, each with its offers. `verified` is the number of
    verified machines of each model.
    """
    offered: defaultdict[int, list[Machines]] = defaultdict(list)
    for alike in machines:
        offered[alike.gpu_model].append(alike)
    opening = {model.id: model for model in GPU_MODELS}
    models = [*GPU_MODELS, *(gpu_of(number) for number in sorted(offered.keys() - opening.keys()))]
    counts = {model.id: None if verified is None else verified.get(model.id, 0) for model in models}
    return [_gpu(model, offered[model.id], pricing, counts[model.id]) for model in models]


def _gpu(model: GpuModel, offered: list[Machines], pricing: Pricing, verified: int | None) -> Gpu:
    listed = Counter[int]()
    available = Counter[int]()
    for alike in offered:
        listed[alike.region] += alike.listed
        available[alike.region] += alike.available
    priced = [alike for alike in offered if alike.available] or offered
    price = min((-(-alike.on_demand_usd // alike.gpu_count) for alike in priced), default=None)
    return Gpu.drawn_from(
        model,
        id=model.slug,
        listed=listed.total(),
        verified=verified,
        available=available.total(),
        regions=tuple(
            RegionAvailability.known(region=region_slug(region), listed=machines, available=available[region])
            for region, machines in sorted(listed.items())
        ),
        market_rate=optional(UsdRate.of, price),
        rates=tuple(filter(None, (_least(priced, pricing, token) for token in pricing.tokens))),
    )


def _least(offered: list[Machines], pricing: Pricing, token: PayableToken) -> OrderRate | None:
    """The lowest rate of one GPU on demand."""
    kind = RentalKind.ON_DEMAND
    quotes = ((pricing.quote(alike, alike.subsidy_left, kind, token), alike.gpu_count) for alike in offered)
    rates = (OrderRate.of(quote, token, gpus) for quote, gpus in quotes if quote is not None)
    return min(rates, key=lambda rate: (rate.micro_usd_per_hour, rate.base_units_per_hour or 0), default=None)
