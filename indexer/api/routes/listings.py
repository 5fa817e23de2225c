"""GET /api/marketplace/listings: machines on offer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import select, tuple_

from anchor_client.market.matching import find_gpu, find_region
from indexer.api.charges import Charges
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.deps import Chain, Database
from indexer.api.errors import refusals
from indexer.api.values import TokenRate, UsdRate, gpu_slug, region_slug, token_rate, usd_rate
from indexer.models import Host, PaymentMint
from indexer.models import Listing as ListingRow
from indexer.queries import available as is_available
from indexer.queries import market_token, online
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
    rating: str | None = Field(description="Mean of ratings weighted by use, 1 to 5; null without any.")
    rentals_completed: int
    rentals_failed: int


class ListingPage(BaseModel):
    """Some listings, and where the next ones are."""

    listings: list[Listing]
    next_cursor: str | None = Field(description="Null on the last page.")


@router.get("", summary="Listings, cheapest first", responses=refusals(400, 422))
def list_listings(
    database: Database,
    chain: Chain,
    gpu: Annotated[str | None, Query(examples=["nvidia-h100-pcie-80gb"])] = None,
    region: Annotated[str | None, Query(examples=["eu-west"])] = None,
    available: Annotated[bool | None, Query(description="Only those an order can, or cannot, take now.")] = None,
    max_price: Annotated[int | None, Query(ge=0, lt=2**63, description="Micro-USD per machine-hour.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> ListingPage:
    """A page of the listings that exist, hidden ones left out."""
    free, alive = is_available(chain), online(chain)
    query = (
        select(ListingRow.__table__, free.label("free"), alive.label("alive"))
        .join(Host, Host.address == ListingRow.host)
        .where(ListingRow.closed_at == 0, ListingRow.visible)
    )
    if gpu is not None:
        query = query.where(ListingRow.gpu_model == find_gpu(gpu).id)
    if region is not None:
        query = query.where(ListingRow.region == find_region(region).id)
    if available is not None:
        query = query.where(free if available else ~free)
    if max_price is not None:
        query = query.where(ListingRow.on_demand_usd <= max_price)
    if cursor is not None:
        query = query.where(tuple_(ListingRow.on_demand_usd, ListingRow.address) > decode_cursor(cursor))
    query = query.order_by(ListingRow.on_demand_usd, ListingRow.address).limit(limit + 1)
    with database.connect() as connection:
        found = [dict(row) for row in connection.execute(query).mappings()]
        token = market_token(connection)
    page = [_listing(row, chain, token) for row in found[:limit]]
    last = found[:limit][-1:] if len(found) > limit else []
    following = encode_cursor(last[0]["on_demand_usd"], last[0]["address"]) if last else None
    return ListingPage(listings=page, next_cursor=following)


def _listing(values: dict[str, Any], chain: Status, token: PaymentMint | None) -> Listing:
    free, alive = bool(values.pop("free")), bool(values.pop("alive"))
    row = ListingRow(**values)
    return Listing(
        id=row.address,
        host=row.host,
        host_authority=row.authority,
        gpu=gpu_slug(row.gpu_model),
        gpu_count=row.gpu_count,
        vram_gb=row.vram_gb,
        region=region_slug(row.region),
        cpu_cores=row.cpu_cores,
        ram_gb=row.ram_gb,
        disk_kind=DISK_KINDS[row.disk_kind],
        disk_gb=row.disk_gb,
        disk_mbps=row.disk_mbps,
        net_up_mbps=row.net_up_mbps,
        net_down_mbps=row.net_down_mbps,
        cuda=f"{row.cuda // 100}.{row.cuda % 100}",
        market_rate=usd_rate(row.on_demand_usd),
        token_rate=token_rate(row.on_demand_usd, chain.market, token),
        spot_min_usd=row.spot_min_usd,
        charges=_charges(row),
        max_duration=row.mrl_seconds,
        available=free,
        online=alive,
        current_job=row.current,
        last_heartbeat_at=row.last_heartbeat_at,
        uptime_bps=row.up_seconds * 10_000 // row.tracked_seconds if row.tracked_seconds else None,
        rating=_mean(row.rating_sum, row.rating_weight),
        rentals_completed=row.completed,
        rentals_failed=row.failed,
    )


def _charges(row: ListingRow) -> Charges | None:
    if row.bandwidth_usd == 0 and row.storage_usd == 0:
        return None
    return Charges(
        bandwidth_usd=row.bandwidth_usd, bandwidth_free_gb=row.bandwidth_free_gb, storage_usd=row.storage_usd
    )


DISK_KINDS = ("nvme", "ssd", "hdd")


def _mean(total: int, weight: int) -> str | None:
    """Two decimals, rounded down."""
    if weight == 0:
        return None
    hundredths = total * 100 // weight
    return f"{hundredths // 100}.{hundredths % 100:02d}"
