"""GET /api/hosts and /api/hosts/{authority}: hosts, with the inputs of their reputation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Connection, and_, bindparam, func, select

from anchor_client.resources.host import Host, ScoreInputs
from anchor_client.rules.host import refusal_bps_floor
from anchor_client.rules.waits import median_wait
from indexer.api.deps import Chain, CursorText, Limit, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import Host as HostRow
from indexer.models import HostScore
from indexer.store.queries import prior_usd

router = StrictRouter(prefix="/api/hosts", tags=["market"])

UNSCORED = -1
"""Sorts a host without a score behind all others."""


class HostPage(BaseModel):
    """A page of hosts and the next cursor."""

    hosts: list[Host]
    next_cursor: NextCursor


HOSTS = (
    select(
        (-func.coalesce(HostRow.c.score_bps, UNSCORED)).label("rank"),
        HostRow.c.address,
        *(column for column in HostRow.c if column.key != "address"),
        *(column.label(f"scored_{column.key}") for column in HostScore.c),
    )
    .select_from(HostRow.table)
    .join(
        HostScore.table,
        and_(HostScore.c.host == HostRow.c.address, HostScore.c.round == HostRow.c.score_round),
        isouter=True,
    )
)
"""Hosts with the inputs of their score."""
PAGES = Pages(HOSTS, {"account": HostRow.c.address == bindparam("account")})
HOST = HOSTS.where(HostRow.c.authority == bindparam("authority"))


@router.get("", summary="Hosts, best reputation first", responses=refusals(400, 422))
async def list_hosts(
    read: Read,
    chain: Chain,
    account: Annotated[AddressText | None, Query(description="Only the host of this account.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> HostPage:
    """A page of all hosts; those without a score come last."""
    return await read(_page, prior_usd(chain), {"account": account}, limit, cursor)


@router.get("/{authority}", summary="One host", responses=refusals(404, 422))
async def get_host(read: Read, chain: Chain, authority: AddressText) -> Host:
    """A host by its wallet, with its score and the score's inputs."""
    return await read(_one, prior_usd(chain), authority)


def _page(
    connection: Connection, prior_usd: int, filters: Mapping[str, object], limit: int, cursor: str | None
) -> HostPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return HostPage(hosts=[_host(dict(row._mapping), prior_usd) for row in rows], next_cursor=following)


def _one(connection: Connection, prior_usd: int, authority: str) -> Host:
    row = connection.execute(HOST, {"authority": authority}).mappings().first()
    if row is None:
        message = f"{authority} is not registered as a host."
        raise ApiError(404, "host_not_found", message, "GET /api/hosts lists all hosts.")
    return _host(dict(row), prior_usd)


def _host(values: dict[str, Any], prior_usd: int) -> Host:
    scored = {column.key: values.pop(f"scored_{column.key}") for column in HostScore.c}
    del values["rank"]
    row = HostRow(**values)
    return Host.drawn_from(
        row,
        id=row.address,
        scored_at=scored["ts"],
        score_inputs=None if scored["ts"] is None else ScoreInputs.of(HostScore(**scored), scored["prior_usd"]),
        orders_refused=row.refused,
        refusal_bps=refusal_bps_floor(row),
        start_seconds=median_wait(row.recent_starts),
        credit_seconds=median_wait(row.recent_credits),
        counted=ScoreInputs.of(row, prior_usd),
    )
