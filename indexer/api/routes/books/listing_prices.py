"""GET /api/marketplace/listings/{id}/prices: a machine's price history."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.resources.base import Address, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import Listing
from indexer.models import ListingPrice as PriceRow

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])


class ListingPrice(Resource):
    """A machine's prices for new rentals from `ts` on, in micro-USD per machine-hour."""

    ts: int
    listing: Address
    seq: int = about(description="Number of the listing's event.")
    on_demand_usd: int
    spot_min_usd: int = about(description="Minimum spot bid; zero for no spot.")
    tx: Tx


class ListingPricePage(BaseModel):
    """A page of prices and the next cursor."""

    prices: list[ListingPrice]
    next_cursor: NextCursor


KNOWN = select(Listing.c.address).where(Listing.c.address == bindparam("listing"))
PRICES = select(*(PriceRow.c[name] for name in ListingPrice.names()))
PAGES = Pages(PRICES, {"listing": PriceRow.c.listing == bindparam("listing")}, descending=True, numbered=True)


@router.get("/{id}/prices", summary="Prices of one listing, newest first", responses=refusals(400, 404, 422))
async def list_listing_prices(
    read: Read, id: AddressText, limit: Limit = 50, cursor: CursorText = None
) -> ListingPricePage:
    """All prices of a listing, open or closed."""
    return await read(_page, id, limit, cursor)


def _page(connection: Connection, listing: str, limit: int, cursor: str | None) -> ListingPricePage:
    if connection.execute(KNOWN, {"listing": listing}).first() is None:
        raise missing("listing", listing)
    rows, following = PAGES.read(connection, {"listing": listing}, limit=limit, cursor=cursor)
    return ListingPricePage(prices=[ListingPrice.known(**row._mapping) for row in rows], next_cursor=following)
