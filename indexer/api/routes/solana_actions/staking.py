"""The Solana Action that stakes market tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request

from anchor_client.amounts import Denomination
from indexer.api.http.strict import StrictRouter
from indexer.api.routes.solana_actions.answers import (
    FAILURES,
    ActionGetResponse,
    ActionParameter,
    ActionPostRequest,
    ActionPostResponse,
    LinkedAction,
    Links,
    Pressed,
    act_of,
    icon_of,
)

router = StrictRouter(prefix="/api/actions/stake", tags=["solana actions"], responses=FAILURES)
TOKENS = (100, 1_000, 10_000)
"""Whole market tokens of the buttons."""


@router.get("", summary="The Action that stakes", response_model_exclude_none=True)
async def stake_metadata(request: Request, actor: Pressed) -> ActionGetResponse:
    """A button for some amounts, and one for any."""
    token = await actor.market.reads.denomination((await actor.market.reads.market()).market_mint)
    amount = ActionParameter(name="tokens", label=f"{token.symbol} to stake", type="number", min=1)
    return ActionGetResponse(
        icon=icon_of(request),
        title=f"Stake {token.symbol}",
        description="Stake earns a share of the market's fees, and votes. It is withdrawable an epoch after unstaking.",
        label="Stake",
        links=Links(
            actions=[
                *(LinkedAction(label=f"{count:,}", href=f"/api/actions/stake?tokens={count}") for count in TOKENS),
                LinkedAction(label="Stake", href="/api/actions/stake?tokens={tokens}", parameters=[amount]),
            ]
        ),
    )


@router.post("", summary="Stake market tokens", operation_id="action_stake")
async def stake(
    body: ActionPostRequest, actor: Pressed, tokens: Annotated[int, Query(ge=1, lt=10**12)]
) -> ActionPostResponse:
    """The stake of POST /api/rewards/stake, in whole tokens."""
    token: Denomination = await actor.market.reads.denomination((await actor.market.reads.market()).market_mint)
    units = tokens * 10**token.decimals
    act = await actor.prepare(act_of(body), lambda market: market.staking.stake(units), f"Stake {token.say(units)}")
    return ActionPostResponse.of(act)
