"""GET /api/prices and /api/prices/{mint}/{seq}: price history of payment mints."""

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
from indexer.models import Price

router = StrictRouter(prefix="/api/prices", tags=["market"])


class MintPrice(Resource):
    """A mint's price from `ts` on."""

    ts: int
    mint: Address
    seq: int = about(description="Number of the mint's event.")
    price: BaseUnits = about(description="Pico-USD per whole token.")
    tx: Tx


class MintPricePage(BaseModel):
    """A page of prices and the next cursor."""

    prices: list[MintPrice]
    next_cursor: NextCursor


PRICES = select(*(Price.c[name] for name in MintPrice.names()))
PAGES = Pages(PRICES, {"mint": Price.c.mint == bindparam("mint")}, descending=True, numbered=True)
PRICE = PRICES.where(Price.c.mint == bindparam("mint"), Price.c.seq == bindparam("seq"))


@router.get("", summary="Prices of payment mints, newest first", responses=refusals(400, 422))
async def list_prices(
    read: Read,
    mint: Annotated[AddressText | None, Query(description="Only of this mint.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> MintPricePage:
    """A page of prices."""
    return await read(_page, {"mint": mint}, limit, cursor)


@router.get("/{mint}/{seq}", summary="One price", responses=refusals(404, 422))
async def get_price(read: Read, mint: AddressText, seq: Annotated[int, Path(ge=0, lt=2**63)]) -> MintPrice:
    """One price, by the number of the mint's event."""
    return await read(_one, mint, seq)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> MintPricePage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return MintPricePage(prices=[MintPrice.known(**row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, mint: str, seq: int) -> MintPrice:
    row = connection.execute(PRICE, {"mint": mint, "seq": seq}).mappings().first()
    if row is None:
        raise missing("price", f"{mint}/{seq}")
    return MintPrice.known(**row)
