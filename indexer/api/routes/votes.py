"""GET /api/governance/votes: votes on proposals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import Proposal, Vote

router = StrictRouter(prefix="/api/governance/votes", tags=["governance"])


class CastVote(Resource):
    """A wallet's vote on a proposal."""

    proposal: int = about(description="The proposal's number.")
    voter: Address
    support: bool
    weight: BaseUnits = about(description="Its active stake when it voted.")
    ts: int
    closed_at: int | None = about(description="Time when the vote's rent was returned.")
    tx: Tx


class VotePage(BaseModel):
    """A page of votes and the next cursor."""

    votes: list[CastVote]
    next_cursor: NextCursor


VOTES = select(
    Proposal.c.number.label("proposal"),
    *(Vote.c[name] for name in ("voter", "support", "weight", "ts", "closed_at", "tx")),
).join(Proposal.table, Proposal.c.address == Vote.c.proposal)
PAGES = Pages(
    VOTES,
    {
        "voter": Vote.c.voter == bindparam("voter"),
        "proposal": Proposal.c.number == bindparam("proposal"),
        "support": Vote.c.support == bindparam("support"),
    },
    descending=True,
)
VOTE = VOTES.where(Proposal.c.number == bindparam("proposal"), Vote.c.voter == bindparam("voter"))


@router.get("", summary="Votes, newest proposals first", responses=refusals(400, 422))
async def list_votes(
    read: Read,
    voter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    proposal: Annotated[int | None, Query(ge=0, lt=2**63, description="Only on the proposal with this number.")] = None,
    support: bool | None = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> VotePage:
    """A page of votes."""
    return await read(_page, {"voter": voter, "proposal": proposal, "support": support}, limit, cursor)


@router.get("/{proposal}/{voter}", summary="One vote", responses=refusals(404, 422))
async def get_vote(read: Read, proposal: Annotated[int, Path(ge=0, lt=2**63)], voter: AddressText) -> CastVote:
    """A wallet's vote on a proposal, by its number."""
    return await read(_one, proposal, voter)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> VotePage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return VotePage(votes=[CastVote.known(**row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, proposal: int, voter: str) -> CastVote:
    row = connection.execute(VOTE, {"proposal": proposal, "voter": voter}).mappings().first()
    if row is None:
        raise missing("vote", f"of {voter} on {proposal}")
    return CastVote.known(**row)
