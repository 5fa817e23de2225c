"""GET /api/governance/proposals and /api/governance/proposals/{id}: what stakers vote on."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Select, select

from anchor_client.generated.types import ProposalState
from anchor_client.rules.proposal import Stage, stage_of, tally
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.deps import Chain, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.values import AddressText, BaseUnits
from indexer.models import Proposal as ProposalRow
from indexer.models import Vote as VoteRow

router = APIRouter(prefix="/api/governance/proposals", tags=["governance"])


class Proposal(BaseModel):
    """Something that stakers vote on."""

    id: int = Field(description="Its number.")
    address: str
    proposer: str
    title: str
    action: dict[str, Any] = Field(
        description="What it does: `kind` and the arguments of that kind.",
        examples=[{"kind": "set_parameter", "parameter": "tip_lamports", "value": 20_000}],
    )
    stage: Stage = Field(description="As of now: `ended` waits to be counted, `due` to be executed.")
    votes_for: BaseUnits
    votes_against: BaseUnits
    voters: int
    eligible: BaseUnits = Field(description="Stake that could vote when it was made.")
    quorum: BaseUnits = Field(description="Votes that must be cast.")
    needed: BaseUnits = Field(description="Votes in favour that those cast so far take.")
    quorum_bps: int
    threshold_bps: int
    created_at: int
    ends_at: int = Field(description="When the vote ends: fixed when it was made, whatever the voting period is now.")
    execute_at: int | None = Field(description="From when it may be executed; null until queued.")
    expires_at: int | None
    closed_at: int | None = Field(description="When it was executed, defeated or cancelled.")
    executed_by: str | None
    create_tx: str
    close_tx: str | None


class Vote(BaseModel):
    """A wallet's vote."""

    voter: str
    support: bool
    weight: BaseUnits
    at: int
    tx: str


class ProposalDetail(Proposal):
    """A proposal with its votes, heaviest first."""

    votes: list[Vote]


class ProposalPage(BaseModel):
    """Some proposals, and where the next ones are."""

    proposals: list[Proposal]
    next_cursor: str | None = Field(description="Null on the last page.")


@router.get("", summary="Proposals, newest first", responses=refusals(400, 422))
async def list_proposals(
    read: Read,
    chain: Chain,
    state: Annotated[str | None, Query(pattern="^(voting|queued|executed|defeated|cancelled)$")] = None,
    proposer: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> ProposalPage:
    """A page of proposals; `state` is what the chain stores, `stage` adds the time."""
    query = select(ProposalRow.table)
    if state is not None:
        query = query.where(ProposalRow.c.state == state)
    if proposer is not None:
        query = query.where(ProposalRow.c.proposer == proposer)
    if cursor is not None:
        query = query.where(ProposalRow.c.number < decode_cursor(cursor)[0])
    return await read(_page, query.order_by(ProposalRow.c.number.desc()).limit(limit + 1), limit, chain.now())


@router.get("/{id}", summary="One proposal with its votes", responses=refusals(404, 422))
async def get_proposal(
    read: Read, chain: Chain, id: Annotated[int, Path(ge=0, lt=2**63, description="The proposal's number.")]
) -> ProposalDetail:
    """A proposal by its number, with every vote on it."""
    return await read(_detail, id, chain.now())


def _page(connection: Connection, query: Select[Any], limit: int, now: int) -> ProposalPage:
    found = [ProposalRow(**row) for row in connection.execute(query).mappings()]
    page = found[:limit]
    following = encode_cursor(page[-1].number, page[-1].address) if len(found) > limit else None
    return ProposalPage(proposals=[Proposal(**_values(row, now)) for row in page], next_cursor=following)


def _detail(connection: Connection, id: int, now: int) -> ProposalDetail:
    row = connection.execute(select(ProposalRow.table).where(ProposalRow.c.number == id)).mappings().first()
    if row is None:
        message = f"There is no proposal {id}."
        raise ApiError(404, "proposal_not_found", message, "Check the id; a new proposal appears once it is final.")
    proposal = ProposalRow(**row)
    query = select(VoteRow.table).where(VoteRow.c.proposal == proposal.address)
    votes = connection.execute(query.order_by(VoteRow.c.weight.desc(), VoteRow.c.voter)).mappings()
    return ProposalDetail(**_values(proposal, now), votes=[_vote(VoteRow(**vote)) for vote in votes])


def _values(row: ProposalRow, now: int) -> dict[str, Any]:
    counted = tally(row.votes_for, row.votes_against, row.eligible, row.quorum_bps, row.threshold_bps)
    return {
        "id": row.number,
        "address": row.address,
        "proposer": row.proposer,
        "title": row.title,
        "action": json.loads(row.action),
        "stage": stage_of(ProposalState[row.state.upper()], row.ends_at, row.execute_at or 0, now),
        "votes_for": row.votes_for,
        "votes_against": row.votes_against,
        "voters": row.voters,
        "eligible": row.eligible,
        "quorum": counted.quorum,
        "needed": counted.needed,
        "quorum_bps": row.quorum_bps,
        "threshold_bps": row.threshold_bps,
        "created_at": row.created_at,
        "ends_at": row.ends_at,
        "execute_at": row.execute_at,
        "expires_at": row.expires_at,
        "closed_at": row.closed_at,
        "executed_by": row.executed_by,
        "create_tx": row.create_signature,
        "close_tx": row.close_signature,
    }


def _vote(row: VoteRow) -> Vote:
    return Vote(voter=row.voter, support=row.support, weight=str(row.weight), at=row.at, tx=row.signature)
