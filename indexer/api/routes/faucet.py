"""GET and POST /api/faucet: test tokens for newcomers."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from solders.pubkey import Pubkey

from anchor_client.resources.holding import Holding
from indexer.api.actions.faucet import Faucet
from indexer.api.deps import MarketClient, of_application
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import LIMITED
from indexer.api.limits.middleware import holder_of
from indexer.api.limits.routes import take_gift
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/faucet", tags=["market"])
Giving = Annotated[Faucet, Depends(of_application("faucet"))]


class Gifts(BaseModel):
    """Gifts that a wallet can get."""

    gifts: list[Holding] = Field(description="Empty without a faucet, which only test markets have.")


class Newcomer(BaseModel):
    """The requesting wallet."""

    model_config = ConfigDict(extra="forbid")

    wallet: AddressText


class Gift(Gifts):
    """Gifts that a wallet received."""

    wallet: str
    signature: str = Field(description="Signature of the landed transaction.")


@router.get("", summary="The faucet's gifts", responses=refusals(429, 502, 503), operation_id="faucet_get_gifts")
async def get_gifts(market: MarketClient, faucet: Giving) -> Gifts:
    """SOL and tokens for a new wallet, on a market for tests with a faucet."""
    return Gifts(gifts=[Holding.of(each) for each in await faucet.gifts()])


@router.post(
    "",
    summary="Test tokens",
    responses=refusals(409, 422, 429, 502, 503),
    dependencies=[LIMITED],
    operation_id="faucet_ask",
)
async def ask_faucet(request: Request, asked: Newcomer, market: MarketClient, faucet: Giving) -> Gift:
    """Sends a wallet the gifts of which it holds less than half; returns once they have landed."""
    given = await faucet.give(Pubkey.from_string(asked.wallet), holder_of(request.scope), partial(take_gift, request))
    return Gift(wallet=asked.wallet, gifts=[Holding.of(each) for each in given.gifts], signature=given.signature)
