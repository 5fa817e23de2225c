"""GET /api/due: jobs and requests with possible work for keepers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field
from sqlalchemy import BigInteger, Connection, bindparam, case, literal, or_, select, union_all

from anchor_client.kinds import LIVE_STATES, JobState, RequestState
from indexer.api.deps import Chain, CursorText, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.models import Listing, Rental, Request

router = StrictRouter(prefix="/api/due", tags=["jobs"])


class DueKind(StrEnum):
    """Kind of due item."""

    JOB = "job"
    REQUEST = "request"


class Due(BaseModel):
    """A job or request, and the time from which a keeper may have work for it."""

    kind: DueKind
    id: str = Field(description="Address of the rental or request.")
    due_at: int = Field(description="Unix seconds; by the program's rules it is never earlier.")


class DuePage(BaseModel):
    """Due items, longest overdue first, and the next cursor."""

    due: list[Due]
    next_cursor: NextCursor


OVERDUE_AT = Listing.c.last_heartbeat_at + Rental.c.offline_after + 1
HELD_UNTIL = case(
    (Rental.c.status != JobState.RUNNING.value, Rental.c.created_at + Rental.c.provision_timeout + 1),
    (Rental.c.paid_until > OVERDUE_AT, OVERDUE_AT),
    else_=Rental.c.paid_until,
)
"""Time when a job that has its machine ends, or its host can be marked."""
JOB_DUE_AT = case(
    (Rental.c.contest_by.is_not(None), Rental.c.contest_by),
    (Listing.c.challenger == Rental.c.address, Rental.c.created_at),
    (Listing.c.challenger.is_not(None) & (Listing.c.preempt_at < HELD_UNTIL), Listing.c.preempt_at),
    else_=HELD_UNTIL,
)
"""Those that wait for a machine are always due: it may become theirs at any time."""
LIVE = Rental.c.status.in_([state.value for state in LIVE_STATES])
EVERYTHING = union_all(
    select(
        JOB_DUE_AT.label("due_at"),
        Rental.c.address.label("id"),
        literal(DueKind.JOB.value).label("kind"),
    )
    .select_from(Rental.table)
    .join(Listing.table, Listing.c.address == Rental.c.listing, isouter=True)
    .where(or_(LIVE, Rental.c.contest_by.is_not(None))),
    select(Request.c.created_at, Request.c.address, literal(DueKind.REQUEST.value)).where(
        Request.c.status == RequestState.OPEN.value
    ),
).subquery()
PAGES = Pages(
    select(EVERYTHING.c.due_at, EVERYTHING.c.id, EVERYTHING.c.kind),
    {"before": EVERYTHING.c.due_at <= bindparam("before", type_=BigInteger)},
)


@router.get("", summary="Possible work for keepers, longest overdue first", responses=refusals(400, 422))
async def list_due(
    read: Read,
    chain: Chain,
    before: Annotated[
        int | None, Query(ge=0, le=2**53, description="Due up to this moment, unix seconds; default: now.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
    cursor: CursorText = None,
) -> DuePage:
    """A page of running and finished jobs, of jobs that wait for a machine, and of all open requests.

    It is a hint: keepers read the accounts from the chain before acting. Work that is due there is here unless it is
    too new for the index; an item here may no longer be due, or not yet.
    """
    return await read(_page, chain.now() if before is None else before, limit, cursor)


def _page(connection: Connection, before: int, limit: int, cursor: str | None) -> DuePage:
    rows, following = PAGES.read(connection, {"before": before}, limit=limit, cursor=cursor)
    return DuePage(due=[Due(kind=kind, id=id, due_at=due_at) for due_at, id, kind in rows], next_cursor=following)
