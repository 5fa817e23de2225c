"""GET and POST /api/faucet: test tokens for newcomers."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from solders.pubkey import Pubkey

from anchor_client.resources.holding import Holding
from indexer.api.actions.faucet import Faucet
from indexer.api.deps import MarketClient, kept
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import LIMITED
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/faucet", tags=["market"])
Giving = Annotated[Faucet, Depends(kept("faucet"))]


class Gifts(BaseModel):
    """Gifts that a wallet can get."""

    gifts: list[Holding] = Field(description="Empty where there is no faucet: it is for tests alone.")


class Newcomer(BaseModel):
    """The wallet that asks."""

    model_config = ConfigDict(extra="forbid")

    wallet: AddressText


class Gift(Gifts):
    """Gifts that a wallet received."""

    wallet: str
    signature: str = Field(description="Of the transaction, which has landed.")


@router.get("", summary="What the faucet gives", responses=refusals(429, 502, 503))
async def get_gifts(market: MarketClient, faucet: Giving) -> Gifts:
    """SOL and tokens for a new wallet, where the market is for tests and has a faucet."""
    return Gifts(gifts=[Holding.of(each) for each in await faucet.gifts()])


@router.post("", summary="Test tokens", responses=refusals(409, 422, 429, 502, 503), dependencies=[LIMITED])
async def ask_faucet(asked: Newcomer, market: MarketClient, faucet: Giving) -> Gift:
    """Sends a wallet what it holds less than half of; answers once it is there."""
    given = await faucet.give(Pubkey.from_string(asked.wallet))
    return Gift(wallet=asked.wallet, gifts=[Holding.of(each) for each in given.gifts], signature=given.signature)
