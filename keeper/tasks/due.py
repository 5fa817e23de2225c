"""A rental that anyone may end now, and the kinds of task that find such rentals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.prices import Split
from keeper.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Due:
    """A rental that is due. `split` is how its escrow will be divided, `due_at` since when, unix seconds."""

    task: Task = field(repr=False)
    address: Pubkey
    rental: Rental = field(repr=False)
    listing: Listing = field(repr=False)
    due_at: int
    split: Split

    @property
    def tip(self) -> int:
        """Lamports for whoever ends it."""
        return self.rental.tip_lamports


@dataclass(frozen=True, slots=True)
class Task:
    """One way to end a rental, as pure functions of its accounts.

    `due_at` gives when a rental may be ended this way, None for never as it stands; `split` how its escrow is divided
    then; `build` is the generated builder of the instruction.
    """

    name: str
    due_at: Callable[[Rental, Listing], int | None]
    split: Callable[[Rental, Listing], Split]
    build: Callable[..., Instruction]

    def find_due(self, snapshot: Snapshot, now: int) -> list[Due]:
        """The rentals that may be ended this way at `now`, the longest overdue first."""
        found = []
        for address, rental, listing in _pairs(snapshot):
            due_at = self.due_at(rental, listing)
            if due_at is not None and due_at <= now:
                found.append(Due(self, address, rental, listing, due_at, self.split(rental, listing)))
        return sorted(found, key=lambda due: (due.due_at, bytes(due.address)))


def find_all_due(tasks: Iterable[Task], snapshot: Snapshot, now: int) -> list[Due]:
    """What is due at `now`; each rental once, by the first task that may end it."""
    found: dict[Pubkey, Due] = {}
    for task in tasks:
        for due in task.find_due(snapshot, now):
            found.setdefault(due.address, due)
    return list(found.values())


def next_due_at(tasks: Iterable[Task], snapshot: Snapshot, now: int) -> int | None:
    """The earliest moment after `now` at which something that is not due yet may be; None without rentals."""
    kinds = tuple(tasks)
    times = (task.due_at(rental, listing) for _, rental, listing in _pairs(snapshot) for task in kinds)
    return min((time for time in times if time is not None and time > now), default=None)


def _pairs(snapshot: Snapshot) -> Iterator[tuple[Pubkey, Rental, Listing]]:
    for address, rental in snapshot.rentals.items():
        listing = snapshot.listings.get(rental.listing)
        if listing is not None:
            yield address, rental, listing
