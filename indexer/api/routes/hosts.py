"""GET /api/hosts and /api/hosts/{authority}: who offers machines, and what their reputation is made of."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Select, and_, func, select, tuple_

from anchor_client.rules.host import Reputation
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.deps import Read
from indexer.api.errors import ApiError, refusals
from indexer.api.values import AddressText, mean_rating
from indexer.models import Host as HostRow
from indexer.models import HostScore

router = APIRouter(prefix="/api/hosts", tags=["market"])

UNSCORED = -1
"""Sorts a host without a score behind all others."""


class Inputs(BaseModel):
    """What a score is made of. Each part is in basis points; one that is null counts half."""

    tracked_seconds: int = Field(description="Seconds watched, over all machines.")
    up_seconds: int = Field(description="Seconds of them that count as up.")
    uptime_bps: int | None = Field(description="60 % of the score.")
    rating: str | None = Field(description="Mean of ratings, 1 to 5, weighted by what the renters had paid.")
    rating_weight_usd_micro: int
    rating_bps: int | None = Field(description="25 % of the score: where the mean stands between 1 and 5.")
    rentals_completed: int
    rentals_failed: int = Field(description="By the host's fault.")
    completion_bps: int | None = Field(description="15 % of the score.")


class Host(BaseModel):
    """Someone who offers machines."""

    id: str = Field(description="Address of the host's account.")
    authority: str = Field(description="The host's wallet.")
    approved: bool
    registered_at: int
    open_listings: int
    score_bps: int | None = Field(description="Reputation in basis points; null until first scored.")
    scored_at: int | None
    score_inputs: Inputs | None = Field(description="What that score was made of.")
    counted: Inputs = Field(description="What has been counted up to now; the next score is made of it and more.")


class HostPage(BaseModel):
    """Some hosts, and where the next ones are."""

    hosts: list[Host]
    next_cursor: str | None = Field(description="Null on the last page.")


@router.get("", summary="Hosts, best reputed first", responses=refusals(400, 422))
async def list_hosts(
    read: Read,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> HostPage:
    """A page of all hosts; those without a score come last."""
    return await read(_page, limit, cursor)


def _page(connection: Connection, limit: int, cursor: str | None) -> HostPage:
    score = func.coalesce(HostRow.c.score_bps, UNSCORED)
    query = _hosts()
    if cursor is not None:
        query = query.where(tuple_(-score, HostRow.c.address) > decode_cursor(cursor))
    query = query.order_by(-score, HostRow.c.address).limit(limit + 1)
    found = [dict(row) for row in connection.execute(query).mappings()]
    page = [_host(row) for row in found[:limit]]
    following = None
    if len(found) > limit:
        last = page[-1]
        following = encode_cursor(-(UNSCORED if last.score_bps is None else last.score_bps), last.id)
    return HostPage(hosts=page, next_cursor=following)


@router.get("/{authority}", summary="One host", responses=refusals(404, 422))
async def get_host(read: Read, authority: AddressText) -> Host:
    """A host by its wallet, with its score and what it is made of."""
    return await read(_one, authority)


def _one(connection: Connection, authority: str) -> Host:
    row = connection.execute(_hosts().where(HostRow.c.authority == authority)).mappings().first()
    if row is None:
        raise ApiError(
            404, "host_not_found", f"{authority} is not registered as a host", "GET /api/hosts lists all hosts."
        )
    return _host(dict(row))


_SCORED = [column.label(f"scored_{column.key}") for column in HostScore.c]


def _hosts() -> Select[Any]:
    latest = and_(HostScore.c.host == HostRow.c.address, HostScore.c.round == HostRow.c.score_round)
    return select(HostRow.table, *_SCORED).join(HostScore.table, latest, isouter=True)


def _host(values: dict[str, Any]) -> Host:
    scored = {column.key: values.pop(f"scored_{column.key}") for column in HostScore.c}
    row = HostRow(**values)
    return Host(
        id=row.address,
        authority=row.authority,
        approved=row.approved,
        registered_at=row.registered_at,
        open_listings=row.open_listings,
        score_bps=row.score_bps,
        scored_at=scored["at"],
        score_inputs=None if scored["at"] is None else _inputs(HostScore(**scored)),
        counted=_inputs(row),
    )


def _inputs(row: HostRow | HostScore) -> Inputs:
    reputation = Reputation(
        tracked_seconds=row.tracked_seconds,
        up_seconds=row.up_seconds,
        rating_sum=row.rating_sum,
        rating_weight=row.rating_weight,
        completed=row.completed,
        failed=row.failed,
    )
    return Inputs(
        tracked_seconds=row.tracked_seconds,
        up_seconds=row.up_seconds,
        uptime_bps=reputation.uptime_bps,
        rating=mean_rating(row.rating_sum, row.rating_weight),
        rating_weight_usd_micro=row.rating_weight,
        rating_bps=reputation.rating_bps,
        rentals_completed=row.completed,
        rentals_failed=row.failed,
        completion_bps=reputation.completion_bps,
    )
