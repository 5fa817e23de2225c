"""GET /api/marketplace/listings: machines on offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Row, bindparam, select

from anchor_client.generated.constants import BPS
from anchor_client.rules.catalog import find_gpu, find_region, gpu_slug, region_slug
from indexer.api.charges import Charges
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.pages import Pages
from indexer.api.values import TokenRate, UsdRate, mean_rating, token_rate, usd_rate
from indexer.models import Host
from indexer.models import Listing as ListingRow
from indexer.queries import AVAILABLE, ONLINE, MarketToken, heard_since, market_token
from indexer.status import Status

router = APIRouter(prefix="/api/marketplace/listings", tags=["market"])


class Listing(BaseModel):
    """A machine on offer."""

    id: str = Field(description="Address of the listing.")
    host: str
    host_authority: str = Field(description="The host's wallet.")
    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int
    vram_gb: int
    region: str = Field(examples=["eu-west"])
    cpu_cores: int
    ram_gb: int
    disk_kind: str = Field(examples=["nvme"])
    disk_gb: int
    disk_mbps: int
    net_up_mbps: int
    net_down_mbps: int
    cuda: str = Field(examples=["12.8"])
    market_rate: UsdRate
    token_rate: TokenRate | None = Field(description="What the market token's payer pays; null while unknown.")
    spot_min_usd: int = Field(description="Least spot bid, micro-USD an hour; 0 takes no spot.")
    charges: Charges | None = Field(description="What traffic and storage cost besides; null when nothing.")
    max_duration: int = Field(description="Longest rental, seconds.")
    available: bool
    online: bool
    current_job: str | None
    last_heartbeat_at: int
    uptime_bps: int | None = Field(description="Share of the watched time that it was up; null until watched.")
    rating: str | None = Field(
        description="Mean of ratings weighted by what the renters had paid, 1 to 5; null without any."
    )
    rentals_completed: int
    rentals_failed: int
    issues_reported: int = Field(description="By renters.")
    host_score_bps: int | None = Field(
        description="The host's reputation in basis points; null until first scored. See /api/hosts."
    )


class ListingPage(BaseModel):
    """Some listings, and where the next ones are."""

    listings: list[Listing]
    next_cursor: str | None = Field(description="Null on the last page.")


LISTINGS = (
    select(
        ListingRow.c.on_demand_usd,
        ListingRow.c.address.label("id"),
        ListingRow.c.host,
        ListingRow.c.authority.label("host_authority"),
        ListingRow.c.gpu_model,
        ListingRow.c.gpu_count,
        ListingRow.c.vram_gb,
        ListingRow.c.region.label("region_number"),
        ListingRow.c.cpu_cores,
        ListingRow.c.ram_gb,
        ListingRow.c.disk_kind,
        ListingRow.c.disk_gb,
        ListingRow.c.disk_mbps,
        ListingRow.c.net_up_mbps,
        ListingRow.c.net_down_mbps,
        ListingRow.c.cuda,
        ListingRow.c.spot_min_usd,
        ListingRow.c.mrl_seconds.label("max_duration"),
        ListingRow.c.bandwidth_usd,
        ListingRow.c.bandwidth_free_gb,
        ListingRow.c.storage_usd,
        ListingRow.c.current.label("current_job"),
        ListingRow.c.last_heartbeat_at,
        ListingRow.c.tracked_seconds,
        ListingRow.c.up_seconds,
        ListingRow.c.rating_sum,
        ListingRow.c.rating_weight,
        ListingRow.c.completed.label("rentals_completed"),
        ListingRow.c.failed.label("rentals_failed"),
        ListingRow.c.issues.label("issues_reported"),
        Host.c.score_bps.label("host_score_bps"),
        AVAILABLE.label("available"),
        ONLINE.label("online"),
    )
    .join(Host.table, Host.c.address == ListingRow.c.host)
    .where(ListingRow.c.closed_at == 0, ListingRow.c.visible)
)
"""Visible listings by the names of a listing's fields; plain columns, as entities cost several times their JSON."""

PAGES = Pages(
    LISTINGS,
    {
        "gpu": ListingRow.c.gpu_model == bindparam("gpu"),
        "region": ListingRow.c.region == bindparam("region"),
        "available": bindparam("available") == AVAILABLE,
        "max_price": ListingRow.c.on_demand_usd <= bindparam("max_price"),
    },
)


@router.get("", summary="Listings, cheapest first", responses=refusals(400, 422))
async def list_listings(
    read: Read,
    chain: Chain,
    gpu: Annotated[str | None, Query(examples=["nvidia-h100-pcie-80gb"])] = None,
    region: Annotated[str | None, Query(examples=["eu-west"])] = None,
    available: Annotated[bool | None, Query(description="Only those an order can, or cannot, take now.")] = None,
    max_price: Annotated[int | None, Query(ge=0, lt=2**63, description="Micro-USD per machine-hour.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> ListingPage:
    """A page of the listings that exist, hidden ones left out."""
    filters = {
        "gpu": None if gpu is None else find_gpu(gpu).id,
        "region": None if region is None else find_region(region).id,
        "available": available,
        "max_price": max_price,
    }
    return await read(_page, filters, limit, cursor, chain)


def _page(
    connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None, chain: Status
) -> ListingPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor, parameters=heard_since(chain))
    token = market_token(connection)
    return ListingPage(listings=[_listing(row, chain, token) for row in rows], next_cursor=following)


def _listing(row: Row[*tuple[Any, ...]], chain: Status, token: MarketToken | None) -> Listing:
    fields = dict(zip(row._fields, row, strict=True))
    fields["gpu"], fields["region"] = gpu_slug(row.gpu_model), region_slug(row.region_number)
    fields["disk_kind"] = DISK_KINDS[row.disk_kind]
    fields["cuda"] = f"{row.cuda // 100}.{row.cuda % 100}"
    fields["market_rate"] = usd_rate(row.on_demand_usd)
    fields["token_rate"] = token_rate(row.on_demand_usd, chain.market, token)
    fields["uptime_bps"] = row.up_seconds * BPS // row.tracked_seconds if row.tracked_seconds else None
    fields["rating"] = mean_rating(row.rating_sum, row.rating_weight)
    fields["charges"] = _charges(row)
    return Listing.model_validate(fields)


def _charges(row: Row[*tuple[Any, ...]]) -> Charges | None:
    if row.bandwidth_usd == 0 and row.storage_usd == 0:
        return None
    return Charges(
        bandwidth_usd=row.bandwidth_usd, bandwidth_free_gb=row.bandwidth_free_gb, storage_usd=row.storage_usd
    )


DISK_KINDS = ("nvme", "ssd", "hdd")
