"""GET /api/marketplace/listings/{id}/prices: what a machine has cost."""

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
    seq: int = about(description="The event of the listing that they came with.")
    on_demand_usd: int
    spot_min_usd: int = about(description="Least spot bid; zero where it took no spot.")
    tx: Tx


class ListingPricePage(BaseModel):
    """Some prices, and where the next ones are."""

    prices: list[ListingPrice]
    next_cursor: NextCursor


KNOWN = select(Listing.c.address).where(Listing.c.address == bindparam("listing"))
PRICES = select(*(PriceRow.c[name] for name in ListingPrice.names()))
PAGES = Pages(PRICES, {"listing": PriceRow.c.listing == bindparam("listing")}, descending=True, numbered=True)


@router.get("/{id}/prices", summary="Prices of one listing, newest first", responses=refusals(400, 404, 422))
async def list_listing_prices(
    read: Read, id: AddressText, limit: Limit = 50, cursor: CursorText = None
) -> ListingPricePage:
    """Each price that a listing has had, also of one that is closed."""
    return await read(_page, id, limit, cursor)


def _page(connection: Connection, listing: str, limit: int, cursor: str | None) -> ListingPricePage:
    if connection.execute(KNOWN, {"listing": listing}).first() is None:
        raise missing("listing", listing)
    rows, following = PAGES.read(connection, {"listing": listing}, limit=limit, cursor=cursor)
    return ListingPricePage(prices=[ListingPrice.known(**row._mapping) for row in rows], next_cursor=following)
