"""GET /api/requests and /api/requests/{id}: orders that wait or waited for a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Row, bindparam, select

from anchor_client.kinds import RequestState
from anchor_client.market.request.lookup import near_slug, region_slugs
from anchor_client.rules.catalog import gpu_slug
from indexer.api.deps import Read
from indexer.api.errors import ApiError, refusals
from indexer.api.pages import Pages
from indexer.api.values import AddressText, BaseUnits
from indexer.models import PaymentMint
from indexer.models import Request as RequestRow

router = APIRouter(prefix="/api/requests", tags=["requests"])


class MachineRequest(BaseModel):
    """An order for any machine of a kind. Amounts are base units of `mint`, times unix seconds."""

    id: str = Field(description="Address of the request.")
    status: str = Field(examples=["open"])
    renter: str
    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int
    regions: list[str] = Field(description="Where the machine may be; anywhere when empty.", examples=[["eu-west"]])
    near: str | None = Field(description="Of machines that all fit, those near this region come first.")
    min_score_bps: int = Field(description="Least reputation of the host.")
    kind: str = Field(examples=["on-demand"])
    duration: int = Field(description="Seconds.")
    max_usd: int = Field(description="The most a machine-hour may cost, micro-USD.")
    mint: str
    decimals: int = Field(description="Decimals of `mint`.")
    deposit: BaseUnits = Field(description="What the renter put in.")
    refunded: BaseUnits = Field(description="What came back when it ended.")
    job: str | None = Field(description="The rental that a match has opened.")
    listing: str | None = Field(description="The machine that was found.")
    order_hash: str = Field(description="SHA-256 of the order document, in hex.")
    created_at: int
    expires_at: int
    ended_at: int | None
    ended_by: str | None
    open_tx: str
    end_tx: str | None


class RequestPage(BaseModel):
    """Some requests, and where the next ones are."""

    requests: list[MachineRequest]
    next_cursor: str | None = Field(description="Null on the last page.")


_OTHERS = [column for column in RequestRow.c if column.key not in ("opened_at", "address")]
REQUESTS = (
    select(RequestRow.c.opened_at, RequestRow.c.address, PaymentMint.c.decimals, *_OTHERS)
    .select_from(RequestRow.table)
    .join(PaymentMint.table, PaymentMint.c.mint == RequestRow.c.mint)
)
PAGES = Pages(
    REQUESTS,
    {"renter": RequestRow.c.renter == bindparam("renter"), "status": RequestRow.c.status == bindparam("status")},
    descending=True,
)
REQUEST = REQUESTS.where(RequestRow.c.address == bindparam("request"))


@router.get("", summary="Requests, newest first", responses=refusals(400, 422))
async def list_requests(
    read: Read,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    status: Annotated[RequestState | None, Query(description="Only in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> RequestPage:
    """A page of requests."""
    filters = {"renter": renter, "status": None if status is None else status.value}
    return await read(_page, filters, limit, cursor)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> RequestPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return RequestPage(requests=[_request(row) for row in rows], next_cursor=following)


@router.get("/{id}", summary="One request", responses=refusals(404, 422))
async def get_request(read: Read, id: AddressText) -> MachineRequest:
    """A request by its address, waiting or ended."""
    return await read(_one, id)


def _one(connection: Connection, id: str) -> MachineRequest:
    row = connection.execute(REQUEST, {"request": id}).first()
    if row is None:
        message = f"There is no request {id}."
        raise ApiError(404, "request_not_found", message, "Check the id; a new request appears once it is final.")
    return _request(row)


def _request(row: Row[*tuple[Any, ...]]) -> MachineRequest:
    return MachineRequest(
        id=row.address,
        status=row.status,
        renter=row.renter,
        gpu=gpu_slug(row.gpu_model),
        gpu_count=row.gpu_count,
        regions=list(region_slugs(row.regions)),
        near=near_slug(row.near_region),
        min_score_bps=row.min_score_bps,
        kind=row.kind,
        duration=row.duration,
        max_usd=row.max_usd,
        mint=row.mint,
        decimals=row.decimals,
        deposit=str(row.deposit),
        refunded=str(row.refunded),
        job=row.rental,
        listing=row.listing,
        order_hash=row.order_hash,
        created_at=row.opened_at,
        expires_at=row.expires_at,
        ended_at=row.ended_at,
        ended_by=row.ended_by,
        open_tx=row.open_signature,
        end_tx=row.end_signature,
    )
