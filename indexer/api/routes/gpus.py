"""GET /api/gpus: the catalog, with what is free right now and at what price."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import Connection, case, func, select

from anchor_client.resources.listing import TokenRate, UsdRate
from anchor_client.rules.catalog import GPU_MODELS, GpuModel, region_slug
from indexer.api.deps import Chain, Read
from indexer.models import Host, Listing
from indexer.queries import AVAILABLE, MarketToken, heard_since, market_token
from indexer.status import Status

router = APIRouter(prefix="/api/gpus", tags=["market"])


class RegionAvailability(BaseModel):
    """Machines of one model in one region."""

    region: str = Field(examples=["eu-west"])
    listed: int = Field(description="Machines on offer, taken ones included.")
    available: int = Field(description="Idle, visible, of an approved host and heard from in time.")


class Gpu(BaseModel):
    """A model of the catalog."""

    id: str = Field(examples=["nvidia-h100-pcie-80gb"])
    name: str = Field(examples=["H100 PCIe"])
    architecture: str = Field(examples=["Hopper"])
    vram_gb: int
    memory: str = Field(examples=["HBM3"])
    fp16_tflops: int
    tdp_watts: int
    listed: int
    available: int
    regions: list[RegionAvailability]
    market_rate: UsdRate | None = Field(
        description="Lowest price of one GPU among free machines, among all when none is free; null without any."
    )
    token_rate: TokenRate | None = Field(description="The same, paid in the market token.")


class Catalog(BaseModel):
    """All models."""

    gpus: list[Gpu]


ALIKE = (Listing.c.gpu_model, Listing.c.region, Listing.c.gpu_count, Listing.c.on_demand_usd)
OFFERS = (
    select(*ALIKE, func.count(), func.sum(case((AVAILABLE, 1), else_=0)))
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0)
    .group_by(*ALIKE)
)
"""Machines that are alike: how many are listed, and how many are available."""


@dataclass(slots=True)
class Offer:
    """What is on offer of one model."""

    listed: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    available: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    lowest: int | None = None
    lowest_available: int | None = None

    def add(self, region: int, listed: int, free: int, price: int) -> None:
        """Machines of one region and price."""
        self.listed[region] += listed
        self.available[region] += free
        self.lowest = price if self.lowest is None else min(self.lowest, price)
        if free:
            known = self.lowest_available
            self.lowest_available = price if known is None else min(known, price)


@router.get("", summary="The GPU catalog with live availability and rates")
async def list_gpus(read: Read, chain: Chain) -> Catalog:
    """Every model of the catalog. Prices are per GPU-hour; a machine with several counts its price's share."""
    offers, token = await read(_offers, chain)
    return Catalog(gpus=[_gpu(model, offers[model.id], chain, token) for model in GPU_MODELS])


def _offers(connection: Connection, chain: Status) -> tuple[defaultdict[int, Offer], MarketToken | None]:
    offers: defaultdict[int, Offer] = defaultdict(Offer)
    for model, region, count, price, listed, idle in connection.execute(OFFERS, heard_since(chain)):
        offers[model].add(region, listed, int(idle), -(-price // count))
    return offers, market_token(connection)


def _gpu(model: GpuModel, offer: Offer, chain: Status, token: MarketToken | None) -> Gpu:
    price = offer.lowest if offer.lowest_available is None else offer.lowest_available
    return Gpu(
        id=model.slug,
        name=model.name,
        architecture=model.architecture,
        vram_gb=model.vram_gb,
        memory=model.memory,
        fp16_tflops=model.fp16_tflops,
        tdp_watts=model.tdp_watts,
        listed=sum(offer.listed.values()),
        available=sum(offer.available.values()),
        regions=[
            RegionAvailability(region=region_slug(region), listed=listed, available=offer.available[region])
            for region, listed in sorted(offer.listed.items())
        ],
        market_rate=None if price is None else UsdRate.of(price),
        token_rate=None if price is None else TokenRate.of(price, chain.market, token),
    )
