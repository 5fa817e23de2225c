"""GET /api/requests and /api/requests/{id}: current and past requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Connection, Row, bindparam, select

from anchor_client.kinds import REQUEST_MESSAGES, RequestState
from anchor_client.resources.request import MachineRequest, slug_of_near, slugs_of_regions
from anchor_client.rules.catalog import gpu_slug
from indexer.api.deps import Chain, CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import PaymentMint, Request
from indexer.status import Status

router = StrictRouter(prefix="/api/requests", tags=["requests"])


class RequestPage(BaseModel):
    """A page of requests and the next cursor."""

    requests: list[MachineRequest]
    next_cursor: NextCursor


NAMED_ALIKE = (
    *("status", "renter", "gpu_count", "regions", "min_score_bps", "kind", "duration", "max_usd", "mint", "deposit"),
    *("min_vram_gb", "min_cuda", "min_ram_gb", "min_disk_gb", "min_net_up_mbps", "min_net_down_mbps"),
    *("refunded", "listing", "order_hash", "expires_at", "ended_at", "finalized_by", "open_tx", "close_tx"),
)
REQUESTS = (
    select(
        Request.c.created_at,
        Request.c.address.label("id"),
        Request.c.gpu_model.label("gpu"),
        Request.c.near_region.label("near"),
        Request.c.rental.label("job"),
        *(Request.c[name] for name in NAMED_ALIKE),
        PaymentMint.c.decimals,
    )
    .select_from(Request.table)
    .join(PaymentMint.table, PaymentMint.c.mint == Request.c.mint)
)
PAGES = Pages(REQUESTS, {name: Request.c[name] == bindparam(name) for name in ("renter", "status")}, descending=True)
REQUEST = REQUESTS.where(Request.c.address == bindparam("request"))


@router.get("", summary="Requests, newest first", responses=refusals(400, 422))
async def list_requests(
    read: Read,
    chain: Chain,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    status: Annotated[RequestState | None, Query(description="Only in this state.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> RequestPage:
    """A page of requests."""
    filters = {"renter": renter, "status": None if status is None else status.value}
    return await read(_page, filters, limit, cursor, chain)


@router.get("/{id}", summary="One request", responses=refusals(404, 422))
async def get_request(read: Read, chain: Chain, id: AddressText) -> MachineRequest:
    """A request by its address, open or ended."""
    return await read(_one, id, chain)


def _page(
    connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None, chain: Status
) -> RequestPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return RequestPage(requests=[_request(row, chain) for row in rows], next_cursor=following)


def _one(connection: Connection, id: str, chain: Status) -> MachineRequest:
    found = find_request(connection, id, chain)
    if found is None:
        raise missing("request", id)
    return found


def find_request(connection: Connection, id: str, chain: Status) -> MachineRequest | None:
    """A request by its address."""
    row = connection.execute(REQUEST, {"request": id}).first()
    return None if row is None else _request(row, chain)


def _request(row: Row[*tuple[Any, ...]], chain: Status) -> MachineRequest:
    fields = dict(row._mapping)
    fields["token"] = chain.symbol(fields["mint"])
    status = fields["status"] = RequestState(fields["status"])
    fields["message"] = REQUEST_MESSAGES[status]
    fields["gpu"] = gpu_slug(fields["gpu"])
    fields["near"] = slug_of_near(fields["near"])
    fields["regions"] = slugs_of_regions(fields["regions"])
    return MachineRequest.known(**fields)
