"""Filters and sort orders of listings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Select, bindparam, func

from anchor_client.rules.driver import PATTERN, driver_rank
from anchor_client.rules.listing import CUDA_MAJOR
from anchor_client.service.optional import optional
from indexer.api.deps import CursorText, Limit
from indexer.api.pages import Pages
from indexer.api.words import AddressText, GpuText, RegionText, gpu_number, region_number
from indexer.models import Host, Listing, MachineFigures
from indexer.store.queries import AVAILABLE, VERIFIED

UNSCORED = -1
"""Sorts the machines of a host without a score behind all others."""

AtLeast: TypeAlias = Annotated[int | None, Field(ge=0, lt=2**63)]
Usd: TypeAlias = Annotated[
    int | None,
    Field(ge=0, lt=2**63, description="Micro-USD that an order on demand placed now pays for a machine-hour in `pay`."),
]


Measured: TypeAlias = Annotated[int | None, Field(ge=0, le=10**9)]
GIGA_PER_TERA = 1_000


class ListingSort(StrEnum):
    """Sort key of a list of listings: `price` and `spot_price` are what an order placed now pays, on demand and at the
    minimum bid; `market_price` is the price on demand before fees.
    """

    PRICE = "price"
    SPOT_PRICE = "spot_price"
    MARKET_PRICE = "market_price"
    MODEL = "model"
    REGION = "region"
    GPU_COUNT = "gpu_count"
    VRAM = "vram"
    NET_UP = "net_up"
    NET_DOWN = "net_down"
    DISK = "disk"
    CUDA = "cuda"
    SCORE = "score"
    NEWEST = "newest"


class Order(StrEnum):
    """Direction of the order."""

    ASC = "asc"
    DESC = "desc"


class ListingFilters(BaseModel):
    """Conditions of a listing; all that are given hold."""

    gpu: GpuText | None = Field(None, examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(None, examples=["eu-west"])
    available: bool | None = Field(None, description="Only listings that an order can, or cannot, take now.")
    spot: bool | None = Field(None, description="Only listings with, or without, spot orders.")
    verified: bool | None = Field(None, description="Only verified, or unverified, machines.")
    host: AddressText | None = Field(None, description="Only this wallet's listings, hidden ones included.")
    operator: AddressText | None = Field(None, description="Only listings that this key serves, hidden ones included.")
    pay: AddressText | None = Field(
        None, description="Mint that prices are compared in; by default the market token. Those of `rates` are in all."
    )
    min_price: Usd = None
    max_price: Usd = None
    max_spot_price: Usd = Field(
        None, description="Maximum that an order at the minimum spot bid pays, micro-USD per machine-hour; only spot."
    )
    gpu_count: AtLeast = Field(None, description="Exact number of GPUs.")
    min_gpu_count: AtLeast = None
    min_vram_gb: AtLeast = Field(None, description="GB of each GPU.")
    min_cpu_cores: AtLeast = None
    min_ram_gb: AtLeast = None
    min_disk_gb: AtLeast = None
    min_net_up_mbps: AtLeast = None
    min_net_down_mbps: AtLeast = None
    min_cuda: Annotated[str | None, Field(pattern=r"^[0-9]{1,3}\.[0-9]{1,2}$", examples=["12.4"])] = None
    min_driver: Annotated[str | None, Field(pattern=PATTERN, examples=["550"])] = Field(
        None, description="As measured by the host, like the next three; excludes machines without figures."
    )
    min_tflops: Measured = Field(None, description="FP32 of each GPU.")
    min_disk_mbps: Measured = Field(None, description="MB a second, written.")
    min_network_mbps: Measured = Field(None, description="Mbit a second, downloaded.")
    min_score_bps: AtLeast = Field(
        None, description="Minimum of the host's reputation; excludes hosts without a score."
    )

    def filters(self) -> dict[str, object]:
        """Values of FILTERS, by name."""
        given: dict[str, object] = self.model_dump(include={*FILTERS})
        given |= {
            "gpu": gpu_number(self.gpu),
            "region": region_number(self.region),
            "min_driver": optional(driver_rank, self.min_driver),
        }
        if self.min_cuda:
            major, _, minor = self.min_cuda.partition(".")
            given["min_cuda"] = int(major) * CUDA_MAJOR + int(minor)
        if self.min_tflops is not None:
            given["min_tflops"] = self.min_tflops * GIGA_PER_TERA
        # Hidden machines are for those who serve them.
        given["visible"] = True if self.host is None and self.operator is None else None
        return given


class ListingQuery(ListingFilters):
    """A page of listings that match all given filters, sorted."""

    sort: ListingSort = Field(ListingSort.PRICE, description="Sort key.")
    order: Order | None = Field(None, description="Sort direction; by default cheapest, or largest, first.")
    limit: Limit = 50
    cursor: CursorText = None


def _least(name: str) -> ColumnElement[bool]:
    return Listing.c[name] >= bindparam(f"min_{name}")


FILTERS: Mapping[str, ColumnElement[bool]] = {
    "visible": Listing.c.visible == bindparam("visible"),
    "gpu": Listing.c.gpu_model == bindparam("gpu"),
    "region": Listing.c.region == bindparam("region"),
    "available": bindparam("available") == AVAILABLE,
    "spot": bindparam("spot") == (Listing.c.spot_min_usd > 0),
    "verified": bindparam("verified") == VERIFIED,
    "host": Listing.c.authority == bindparam("host"),
    "operator": Listing.c.operator == bindparam("operator"),
    "gpu_count": Listing.c.gpu_count == bindparam("gpu_count"),
    "min_score_bps": Host.c.score_bps >= bindparam("min_score_bps"),
    "min_driver": MachineFigures.c.driver_rank >= bindparam("min_driver"),
    "min_tflops": MachineFigures.c.fp32_gflops >= bindparam("min_tflops"),
    "min_disk_mbps": MachineFigures.c.disk_mbps >= bindparam("min_disk_mbps"),
    "min_network_mbps": MachineFigures.c.network_mbps >= bindparam("min_network_mbps"),
    **{
        f"min_{name}": _least(name)
        for name in (
            *("gpu_count", "vram_gb", "cpu_cores", "ram_gb", "disk_gb"),
            *("net_up_mbps", "net_down_mbps", "cuda"),
        )
    },
}
"""Conditions on Listing, Host and MachineFigures."""

KEYS: Mapping[ListingSort, tuple[ColumnElement[Any], Order]] = {
    ListingSort.PRICE: (Listing.c.on_demand_usd, Order.ASC),
    ListingSort.SPOT_PRICE: (Listing.c.spot_min_usd, Order.ASC),
    ListingSort.MARKET_PRICE: (Listing.c.on_demand_usd, Order.ASC),
    ListingSort.MODEL: (Listing.c.gpu_model, Order.ASC),
    ListingSort.REGION: (Listing.c.region, Order.ASC),
    ListingSort.GPU_COUNT: (Listing.c.gpu_count, Order.DESC),
    ListingSort.VRAM: (Listing.c.vram_gb, Order.DESC),
    ListingSort.NET_UP: (Listing.c.net_up_mbps, Order.DESC),
    ListingSort.NET_DOWN: (Listing.c.net_down_mbps, Order.DESC),
    ListingSort.DISK: (Listing.c.disk_gb, Order.DESC),
    ListingSort.CUDA: (Listing.c.cuda, Order.DESC),
    ListingSort.SCORE: (func.coalesce(Host.c.score_bps, UNSCORED), Order.DESC),
    ListingSort.NEWEST: (Listing.c.created_at, Order.DESC),
}
"""Each sort's number, and which end comes first unless asked for."""


def listing_pages(listed: Select[*tuple[Any, ...]]) -> Mapping[tuple[ListingSort, Order], Pages]:
    """Pages of listings, with the Host joined, in each order."""
    columns = (Listing.c.address, *(column for column in listed.selected_columns if column.key != "address"))
    pages = {}
    for sort, (key, _) in KEYS.items():
        rows = listed.with_only_columns(key.label("sort_key"), *columns)
        for order in Order:
            pages[sort, order] = Pages(rows, FILTERS, descending=order is Order.DESC, sort=sort_name(sort, order))
    return pages


def sort_name(sort: ListingSort, order: Order) -> str:
    """The name of a sort in its cursors; the list's own has none."""
    return "" if (sort, order) == (ListingSort.PRICE, Order.ASC) else f"{sort}_{order}"
