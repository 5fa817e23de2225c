"""GET /api/balances/{wallet}: a wallet's balances."""

from __future__ import annotations

from pydantic import BaseModel
from solders.pubkey import Pubkey

from anchor_client.balances import read_balances
from anchor_client.resources.holding import Holding
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/balances", tags=["quota"])


class Balances(BaseModel):
    """SOL first, then every payment mint."""

    wallet: str
    balances: list[Holding]


@router.get("/{wallet}", summary="A wallet's balances", responses=refusals(422, 429, 502, 503))
async def get_balances(wallet: AddressText, market: MarketClient) -> Balances:
    """Base units of SOL and of each payment mint in the wallet's own accounts, read from the chain."""
    reads = market.reads
    symbols = dict(await reads.tokens())
    found = await read_balances(reads.program, Pubkey.from_string(wallet), symbols)
    return Balances(wallet=wallet, balances=[Holding.of(each) for each in found])
