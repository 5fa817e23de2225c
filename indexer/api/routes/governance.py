"""GET /api/governance/proposals and /api/governance/proposals/{id}: proposals and their votes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.generated.types import ProposalState
from anchor_client.resources.proposal import Proposal, Vote, proposal_of
from indexer.api.deps import Chain, CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import Proposal as ProposalRow
from indexer.models import Vote as VoteRow

router = StrictRouter(prefix="/api/governance/proposals", tags=["governance"])

PROPOSALS = select(
    ProposalRow.c.number,
    ProposalRow.c.address,
    *(column for column in ProposalRow.c if column.key not in ("number", "address")),
)
PAGES = Pages(
    PROPOSALS,
    {name: ProposalRow.c[name] == bindparam(name) for name in ("state", "proposer")},
    descending=True,
)
VOTES = (
    select(*(VoteRow.c[name] for name in Vote.names()))
    .where(VoteRow.c.proposal == bindparam("proposal"))
    .order_by(VoteRow.c.weight.desc(), VoteRow.c.voter)
)


class ProposalPage(BaseModel):
    """A page of proposals and the next cursor."""

    proposals: list[Proposal]
    next_cursor: NextCursor


@router.get("", summary="Proposals, newest first", responses=refusals(400, 422))
async def list_proposals(
    read: Read,
    chain: Chain,
    state: Annotated[str | None, Query(pattern="^(voting|queued|executed|defeated|cancelled|vetoed)$")] = None,
    proposer: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> ProposalPage:
    """A page of proposals; `state` is what the chain stores, `stage` takes the time into account."""
    return await read(_page, {"state": state, "proposer": proposer}, limit, cursor, chain.now())


@router.get("/{id}", summary="One proposal with its votes", responses=refusals(404, 422))
async def get_proposal(
    read: Read, chain: Chain, id: Annotated[int, Path(ge=0, lt=2**63, description="The proposal's number.")]
) -> Proposal:
    """A proposal by its number, with every vote on it."""
    return await read(_detail, id, chain.now())


def _page(
    connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None, now: int
) -> ProposalPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    found = [_proposal(ProposalRow(**row._mapping), now) for row in rows]
    return ProposalPage(proposals=found, next_cursor=following)


def _detail(connection: Connection, id: int, now: int) -> Proposal:
    row = connection.execute(PROPOSALS.where(ProposalRow.c.number == id)).mappings().first()
    if row is None:
        raise missing("proposal", id)
    votes = tuple(Vote.known(**vote) for vote in connection.execute(VOTES, {"proposal": row["address"]}).mappings())
    return _proposal(ProposalRow(**row), now, votes)


def find_proposal(connection: Connection, address: str, now: int) -> Proposal | None:
    """A proposal as lists have it."""
    row = connection.execute(PROPOSALS.where(ProposalRow.c.address == address)).mappings().first()
    return None if row is None else _proposal(ProposalRow(**row), now)


def _proposal(row: ProposalRow, now: int, votes: tuple[Vote, ...] | None = None) -> Proposal:
    return proposal_of(
        row,
        state=ProposalState[row.state.upper()],
        now=now,
        action=json.loads(row.action),
        id=row.number,
        address=row.address,
        title=row.title,
        closed_at=row.closed_at,
        executed_by=row.executed_by,
        open_tx=row.open_tx,
        close_tx=row.close_tx,
        votes=votes,
    )
