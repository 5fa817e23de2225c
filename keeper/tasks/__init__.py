"""Tasks of a keeper, by area. A task is permissionless on chain and harmless to repeat.

`task`       what a task is: when it is due for an account, whom it pays, and the instructions
`rental`, `spot`, `request`   endings, most for an escrowed tip; `matching` finds machines in the market's `supply`
`charges`, `host`, `mfp`, `staking`, `governance`   cranks, which pay nothing
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.solana.rpc import Reader
from keeper.names import CrankName
from keeper.snapshot import Snapshot
from keeper.tasks.charges import find_charges_due
from keeper.tasks.governance import find_proposals_due
from keeper.tasks.host import find_hosts_due
from keeper.tasks.mfp import find_stale_listings
from keeper.tasks.rental import (
    CANCEL_UNSTARTED,
    FINALIZE_RENTAL,
    MARK_SILENT,
    RELEASE_HOLDBACK,
    REPORT_OFFLINE,
    RentalSubject,
)
from keeper.tasks.spot import PREEMPT_RENTAL, TAKE_OVER_LISTING, WITHDRAW_CHALLENGER
from keeper.tasks.staking import find_rewards_due
from keeper.tasks.task import DueTask, find_due, next_due_at

HOLDER_TASKS: Final = (FINALIZE_RENTAL, REPORT_OFFLINE, MARK_SILENT, PREEMPT_RENTAL, CANCEL_UNSTARTED)
"""For rentals that hold their machine."""
WAITING_TASKS: Final = (TAKE_OVER_LISTING, WITHDRAW_CHALLENGER)
"""For rentals that wait for one."""

FINISHED_TASKS: Final = (RELEASE_HOLDBACK,)
"""For rentals that have ended and hold something back for their host."""

FindDue = Callable[[Reader, int], Awaitable[list[DueTask[Any]]]]
"""Reads a crank's accounts and finds due tasks at an earlier read time, each account once."""

CRANKS: Final[Mapping[CrankName, FindDue]] = MappingProxyType(
    {
        CrankName.HOST: find_hosts_due,
        CrankName.STAKING: find_rewards_due,
        CrankName.GOVERNANCE: find_proposals_due,
        CrankName.CHARGES: find_charges_due,
        CrankName.MFP: find_stale_listings,
    }
)


def _subjects(snapshot: Snapshot, rentals: Mapping[Pubkey, Rental]) -> list[RentalSubject]:
    listings = snapshot.listings
    return [
        RentalSubject(
            address, rental, listings[rental.listing], snapshot.rentals.get(listings[rental.listing].challenger)
        )
        for address, rental in rentals.items()
        if rental.listing in listings
    ]


def rental_subjects(snapshot: Snapshot) -> tuple[list[RentalSubject], list[RentalSubject]]:
    """The rentals that hold a machine, and those that wait for one."""
    subjects = _subjects(snapshot, snapshot.rentals)
    return [each for each in subjects if not each.is_waiting], [each for each in subjects if each.is_waiting]


def finished_subjects(snapshot: Snapshot) -> list[RentalSubject]:
    """The rentals that have ended and hold something back for their host."""
    return _subjects(snapshot, snapshot.finished)


def find_rentals_due(snapshot: Snapshot, now: int) -> list[DueTask[RentalSubject]]:
    """The rentals with a due task at `now`."""
    holding, waiting = rental_subjects(snapshot)
    finished = finished_subjects(snapshot)
    return (
        find_due(HOLDER_TASKS, holding, now)
        + find_due(WAITING_TASKS, waiting, now)
        + find_due(FINISHED_TASKS, finished, now)
    )


def next_rental_due_at(snapshot: Snapshot, now: int) -> int | None:
    """The earliest moment after `now` at which another rental becomes due; None if none does in the current state."""
    holding, waiting = rental_subjects(snapshot)
    times = (
        next_due_at(HOLDER_TASKS, holding, now),
        next_due_at(WAITING_TASKS, waiting, now),
        next_due_at(FINISHED_TASKS, finished_subjects(snapshot), now),
    )
    return min((time for time in times if time is not None), default=None)
