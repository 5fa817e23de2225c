"""Listings' GPU points and reference prices: kept at the catalog's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import GpuModel, Listing
from anchor_client.generated.instructions import refresh_listing
from anchor_client.solana.rpc import Reader
from keeper.tasks.task import DueTask, Subject, Task, TaskAccounts, find_due


@dataclass(frozen=True, slots=True)
class CatalogSubject(Subject):
    """A listing and what the catalog gives its machine."""

    listing: Listing = field(repr=False)
    points: int
    reference_usd: int

    @property
    def is_fresh(self) -> bool:
        """True if the listing already has the catalog's values."""
        return (self.listing.points, self.listing.reference_usd) == (self.points, self.reference_usd)


def _refresh(subject: CatalogSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [
        refresh_listing(
            caller=accounts.caller,
            listing=subject.address,
            listing_data=subject.listing,
            host=subject.listing.host,
            program_id=accounts.program_id,
        )
    ]


REFRESH_LISTING: Final[Task[CatalogSubject]] = Task(
    "refresh_listing", lambda subject: None if subject.is_fresh else 0, _refresh
)


async def find_stale_listings(reader: Reader, now: int) -> list[DueTask[Any]]:
    """The listings to refresh. Raises network errors."""
    models = await reader.read_all(GpuModel)
    return list(find_due([REFRESH_LISTING], catalog_subjects(await reader.read_all(Listing), models), now))


def catalog_subjects(listings: Mapping[Pubkey, Listing], models: Mapping[Pubkey, GpuModel]) -> list[CatalogSubject]:
    """Each listing with its model's terms in the catalog; none without terms. Twin of state/gpu_model.rs."""
    known = {model.number: model for model in models.values()}
    subjects = []
    for address, listing in listings.items():
        model = known.get(listing.gpu_model)
        points = 0 if model is None else model.points * listing.gpu_count
        subjects.append(CatalogSubject(address, listing, points, 0 if model is None else model.reference_usd))
    return subjects
