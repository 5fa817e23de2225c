"""Saved searches, and the events after which a listing may have come to fit them: it was left, paid out, changed or
approved, or its host is heard from for the first time or again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog
from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, select

from anchor_client.errors import GpuMarketError
from anchor_client.generated.events import HostApproved, HostHeartbeat, ListingUpdated, PayoutClaimed, RentalClosed
from anchor_idl.runtime.structs import Event
from indexer.accounts.models import SavedSearch
from indexer.api.errors import ApiError
from indexer.api.listing_prices import fits
from indexer.api.listing_query import ListingFilters
from indexer.models import Listing
from indexer.status import Status
from indexer.store.pricing import pricing
from indexer.store.queries import heard_since

CHANGE_SECONDS = 3_600
"""However often a host changes a listing within this time, a search gets one notice of it."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FollowedSearch:
    """A saved search."""

    id: str
    name: str
    filters: ListingFilters = field(compare=False)


class ListingOpening(NamedTuple):
    """A listing that may fit from now on. `place` is the same for events that made it free for the same orders."""

    listing: str
    place: tuple[object, ...]


def searches_of(rows: Sequence[SavedSearch]) -> tuple[FollowedSearch, ...]:
    """Rows as searches, without those whose filters this version no longer has."""
    found = []
    for row in rows:
        try:
            filters = ListingFilters.model_validate_json(row.filters)
            filters.filters()
        except (ValidationError, GpuMarketError, ApiError) as error:
            log.warning("a saved search cannot be read", search=row.id, error=str(error))
        else:
            found.append(FollowedSearch(row.id, row.name, filters))
    return tuple(found)


def openings_of(connection: Connection, event: Event) -> Iterator[ListingOpening]:
    """The listings that an event may have made fit."""
    match event:
        case RentalClosed() | PayoutClaimed():
            yield from _openings(connection, Listing.c.address == str(event.listing))
        case ListingUpdated():
            yield from _openings(connection, Listing.c.address == str(event.listing), event.at // CHANGE_SECONDS)
        case HostHeartbeat():
            returned = (Listing.c.host == str(event.host)) & (Listing.c.returned_at == event.at)
            yield from _openings(connection, returned)
        case HostApproved() if event.new and not event.old:
            yield from _openings(connection, Listing.c.host == str(event.host), event.at)


def fitting(
    connection: Connection, opening: ListingOpening, searches: Collection[FollowedSearch], chain: Status
) -> Iterator[FollowedSearch]:
    """The searches that a listing fits now, free for an order."""
    terms = pricing(connection, chain)
    now = chain.now()
    parameters = heard_since(chain)
    for search in searches:
        asked = search.filters.model_copy(update={"available": True})
        if fits(connection, asked, terms, now, parameters, opening.listing):
            yield search


def _openings(connection: Connection, which: ColumnElement[bool], cause: int = 0) -> Iterator[ListingOpening]:
    for row in connection.execute(_FREED.where(which)).all():
        yield ListingOpening(row.address, (row.opened, row.returned_at, cause))


_FREED = select(Listing.c.address, Listing.c.opened, Listing.c.returned_at).where(
    Listing.c.closed_at == 0, Listing.c.visible, Listing.c.current.is_(None)
)
