"""GET /api/bids and /api/bids/{job}: current and past orders waiting for a machine that another rental holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Connection, RowMapping, bindparam, select

from anchor_client.resources.base import Address, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import SpotBid

router = StrictRouter(prefix="/api/bids", tags=["market"])


class Bid(Resource):
    """A current or past waiting order; times are unix seconds."""

    job: Address = about(description="The order's own job.")
    listing: Address
    holder: Address = about(description="The job that it displaces.")
    renter: Address
    kind: str = about(examples=["spot"])
    rate_usd: int = about(description="Micro-USD per machine-hour.")
    placed_at: int
    preempt_at: int = about(description="Time from which it may take the machine.")
    outcome: str = about(description="waiting, took_over, or the reason for its end.", examples=["waiting"])
    decided_at: int | None
    tx: Tx


class BidPage(BaseModel):
    """A page of bids and the next cursor."""

    bids: list[Bid]
    next_cursor: NextCursor


BIDS = select(
    SpotBid.c.placed_at,
    SpotBid.c.rental.label("job"),
    *(SpotBid.c[name] for name in Bid.names() if name not in ("job", "placed_at")),
)
PAGES = Pages(
    BIDS,
    {name: SpotBid.c[name] == bindparam(name) for name in ("renter", "listing", "outcome")},
    descending=True,
)
BID = BIDS.where(SpotBid.c.rental == bindparam("job"))


@router.get("", summary="Bids, newest first", responses=refusals(400, 422))
async def list_bids(
    read: Read,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's bids.")] = None,
    listing: Annotated[AddressText | None, Query(description="Only for this machine.")] = None,
    outcome: Annotated[str | None, Query(pattern="^[a-z_]{1,32}$", examples=["waiting"])] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> BidPage:
    """A page of current and past waiting orders."""
    return await read(_page, {"renter": renter, "listing": listing, "outcome": outcome}, limit, cursor)


@router.get("/{job}", summary="One bid", responses=refusals(404, 422))
async def get_bid(read: Read, job: AddressText) -> Bid:
    """A bid by its own job."""
    return await read(_one, job)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> BidPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return BidPage(bids=[_bid(row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, job: str) -> Bid:
    row = connection.execute(BID, {"job": job}).mappings().first()
    if row is None:
        raise missing("bid", job)
    return _bid(row)


def _bid(row: RowMapping) -> Bid:
    return Bid.known(**row)
