"""The Solana Action that votes on a proposal."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request

from anchor_client.market.governance.words import describe
from anchor_client.rules.proposal import ProposalStage
from indexer.api.http.strict import StrictRouter
from indexer.api.routes.solana_actions.answers import (
    FAILURES,
    ActionGetResponse,
    ActionPostRequest,
    ActionPostResponse,
    LinkedAction,
    Links,
    Pressed,
    act_of,
    icon_of,
)

router = StrictRouter(prefix="/api/actions/proposals/{id}/vote", tags=["solana actions"], responses=FAILURES)
Number = Annotated[int, Path(ge=0, lt=2**63, description="The proposal's number.")]


@router.get("", summary="The Action that votes on a proposal", response_model_exclude_none=True)
async def vote_metadata(id: Number, request: Request, actor: Pressed) -> ActionGetResponse:
    """A button for, and one against."""
    proposal = await actor.market.governance.get(id)
    path = f"/api/actions/proposals/{id}/vote"
    return ActionGetResponse(
        icon=icon_of(request),
        title=f"Proposal {id}",
        description=f"Vote whether to {describe(proposal.action)}, with the stake that you had when it opened.",
        label="Vote",
        disabled=proposal.stage is not ProposalStage.VOTING,
        links=Links(
            actions=[
                LinkedAction(label="For", href=f"{path}?support=true"),
                LinkedAction(label="Against", href=f"{path}?support=false"),
            ]
        ),
    )


@router.post("", summary="Vote on a proposal", operation_id="action_vote")
async def vote(
    id: Number, body: ActionPostRequest, actor: Pressed, support: Annotated[bool, Query()]
) -> ActionPostResponse:
    """The vote of POST /api/governance/proposals/{id}/vote."""
    says = f"Vote {'for' if support else 'against'} proposal {id}"
    act = await actor.prepare(act_of(body), lambda market: market.governance.vote(id, support=support), says)
    return ActionPostResponse.of(act)
