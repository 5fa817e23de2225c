"""Listings' GPU points, which their hosts' extra fees go by: kept at the catalog's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Catalog, Listing
from anchor_client.generated.instructions import refresh_points
from anchor_client.generated.pdas import find_catalog
from anchor_client.rpc import Reader
from keeper.tasks.task import Accounts, Due, Subject, Task, find_due


@dataclass(frozen=True, slots=True)
class PointsSubject(Subject):
    """A listing and the points that the catalog gives its machine."""

    listing: Listing = field(repr=False)
    points: int


def _refresh(subject: PointsSubject, accounts: Accounts) -> list[Instruction]:
    listing, program = subject.address, accounts.program_id
    return [refresh_points(caller=accounts.caller, listing=listing, host=subject.listing.host, program_id=program)]


REFRESH_POINTS: Final[Task[PointsSubject]] = Task(
    "refresh_points", lambda subject: None if subject.listing.points == subject.points else 0, _refresh
)


async def find_points_due(reader: Reader, now: int) -> list[Due[Any]]:
    """The listings to refresh; none before there is a catalog. Raises the network's errors."""
    catalog = await reader.read(Catalog, find_catalog(reader.program_id)[0])
    if catalog is None:
        return []
    return list(find_due([REFRESH_POINTS], points_subjects(await reader.read_all(Listing), catalog), now))


def points_subjects(listings: Mapping[Pubkey, Listing], catalog: Catalog) -> list[PointsSubject]:
    """Each listing with the catalog's points for it."""
    return [PointsSubject(address, listing, points_of(listing, catalog)) for address, listing in listings.items()]


def points_of(listing: Listing, catalog: Catalog) -> int:
    """GPU points of a machine; none for a model that the catalog has no number for. Twin of state/catalog.rs."""
    if listing.gpu_model >= len(catalog.points):
        return 0
    return catalog.points[listing.gpu_model] * listing.gpu_count
