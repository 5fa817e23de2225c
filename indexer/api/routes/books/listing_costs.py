"""GET /api/marketplace/listings/{id}/costs: what a time on a machine costs, by kind and token."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.resources.rate import LeftOutKind, OrderCost
from anchor_client.rules.subsidy import subsidy_left
from indexer.api.deps import Chain, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.listing_prices import PRICED
from indexer.api.words import AddressText
from indexer.models import Host, Listing
from indexer.status import Status
from indexer.store.pricing import pricing

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])

MACHINE = (
    select(*PRICED)
    .select_from(Listing.table)
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.address == bindparam("listing"))
)
Seconds = Annotated[int, Query(ge=1, le=2**32 - 1, description="Seconds.", examples=[36_000])]


class ListingCosts(BaseModel):
    """Every way to pay for the time, cheapest first; empty if the machine takes no order of it. Other kinds are left
    out."""

    costs: list[OrderCost]
    left_out: list[LeftOutKind]


@router.get("/{id}/costs", summary="What a time on one listing costs", responses=refusals(404, 422))
async def list_listing_costs(
    read: Read, chain: Chain, id: AddressText, duration: Seconds = SECONDS_PER_HOUR
) -> ListingCosts:
    """Costs of an order placed now for `duration` seconds, by kind and token, for a renter without stake."""
    return await read(_costs, id, duration, chain)


def _costs(connection: Connection, id: str, duration: int, chain: Status) -> ListingCosts:
    machine = connection.execute(MACHINE, {"listing": id}).first()
    if machine is None:
        raise missing("listing", id)
    prices = pricing(connection, chain)
    ways = prices.ways(machine, subsidy_left(machine, chain.now()), duration)
    return ListingCosts(
        costs=[OrderCost.of(token, quote) for token, quote in ways],
        left_out=[LeftOutKind.of(each) for each in prices.left_out(machine, duration, ways)],
    )
