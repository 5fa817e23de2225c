"""GET /api/marketplace/listings/{id}/spot: a machine's holder, challenger and lowest winning bid."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from sqlalchemy import BigInteger, Connection, bindparam, select

from anchor_client.generated.types import RentalKind
from anchor_client.kinds import KINDS, JobState
from anchor_client.resources.base import about
from anchor_client.resources.spot import SpotBook, SpotPlace
from anchor_client.rules.listing import next_bid_usd
from indexer.api.deps import Chain, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText
from indexer.models import Listing, Rental, SpotBid, SpotOrder
from indexer.status import Status

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])

DEFAULT_INCREMENT_BPS = 500
"""The program's initial value; the market's own value is used once the chain has been seen."""


BIDS = (
    select(SpotBid.c.rental.label("job"), *(SpotBid.c[name] for name in SpotOrder.model_fields))
    .where(SpotBid.c.listing == bindparam("listing"))
    .order_by(SpotBid.c.placed_at.desc(), SpotBid.c.rental.desc())
    .limit(bindparam("limit", type_=BigInteger))
)


class SpotBidAnswer(SpotOrder):
    """An order that waited, or waits, for the machine."""

    job: str


class SpotBookAnswer(SpotBook):
    """A machine's spot book, and the orders that waited for it."""

    history: tuple[SpotBidAnswer, ...] = about(description="Newest first.")


@router.get("/{id}/spot", summary="Spot book of one listing", responses=refusals(404, 422))
async def get_spot_book(
    read: Read, chain: Chain, id: AddressText, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> SpotBookAnswer:
    """Holder, challenger, the lowest winning bid, and the last waiting orders."""
    return await read(_book, chain, id, limit)


def _book(connection: Connection, chain: Status, id: str, limit: int) -> SpotBookAnswer:
    row = connection.execute(select(Listing.table).where(Listing.c.address == id)).mappings().first()
    if row is None:
        raise missing("listing", id)
    listing = Listing(**row)
    holder = _rental(connection, listing.current)
    challenger = _rental(connection, listing.challenger)
    bids = connection.execute(BIDS, {"listing": id, "limit": limit}).mappings()
    to_beat = challenger or holder
    price: tuple[bool, int] | None = None
    if to_beat is not None:
        price = (KINDS[to_beat.kind] is RentalKind.SPOT, to_beat.rate_usd)
    increment_bps = DEFAULT_INCREMENT_BPS
    if chain.market is not None:
        increment_bps = chain.market.spot_increment_bps
    if to_beat is None:
        decided = listing.owed_mint is not None
    elif challenger is None:
        decided = chain.now() < listing.challenge_from
    else:
        decided = holder is None or chain.now() >= (listing.preempt_at or 0)
    least = next_bid_usd(listing.on_demand_usd, listing.spot_min_usd, price, increment_bps)
    return SpotBookAnswer.drawn_from(
        listing,
        listing=id,
        holder=_place(holder),
        challenger=_place(challenger),
        minimum_bid_usd=None if decided or listing.closed_at else least,
        history=tuple(SpotBidAnswer(**bid) for bid in bids),
    )


def _rental(connection: Connection, address: str | None) -> Rental | None:
    if address is None:
        return None
    row = connection.execute(select(Rental.table).where(Rental.c.address == address)).mappings().first()
    return None if row is None else Rental(**row)


def _place(rental: Rental | None) -> SpotPlace | None:
    if rental is None:
        return None
    return SpotPlace.drawn_from(rental, job=rental.address, status=JobState(rental.status))
