"""A GPU model of the catalog, with its offers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from anchor_client.generated.accounts import Market
from anchor_client.resources.base import Resource, about
from anchor_client.resources.listing import PricedMint, TokenRate, UsdRate
from anchor_client.rules.catalog import GPU_MODELS, gpu_of, region_slug
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.service.optional import optional

Machines = tuple[int, int, int, int, int, int, int]
"""Identical machines: GPU model, region, GPUs in each, micro-USD per machine-hour, reference price per GPU-hour, number
listed, and number available.
"""


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
    token_rate: TokenRate | None = about(description="The same, paid in the market token.")


def gpus_of(
    machines: Iterable[Machines],
    market: Market | None,
    token: PricedMint | None,
    verified: Mapping[int, int] | None = None,
) -> list[Gpu]:
    """The models of a new market and all others that are listed, each with its offers. `token` is the market token,
    `verified` the number of verified machines of each model.
    """
    offered: defaultdict[int, list[Machines]] = defaultdict(list)
    for alike in machines:
        offered[alike[0]].append(alike)
    opening = {model.id: model for model in GPU_MODELS}
    models = [*GPU_MODELS, *(gpu_of(number) for number in sorted(offered.keys() - opening.keys()))]
    counts = {model.id: None if verified is None else verified.get(model.id, 0) for model in models}
    return [_gpu(model, offered[model.id], market, token, counts[model.id]) for model in models]


def _gpu(
    model: GpuModel, offered: list[Machines], market: Market | None, token: PricedMint | None, verified: int | None
) -> Gpu:
    listed = Counter[int]()
    available = Counter[int]()
    for _, region, _, _, _, machines, free in offered:
        listed[region] += machines
        available[region] += free
    shares = ((free == 0, -(-price // gpus), reference) for _, _, gpus, price, reference, _, free in offered)
    _, price, reference = min(shares, default=(True, None, 0))
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
        token_rate=None if price is None else TokenRate.of(price, reference, market, token),
    )
