"""A rental that anyone may end now, and the kinds of task that find such rentals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.rules.rental import Split
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
        """Lamports that it pays."""
        return self.rental.tip_lamports if self.task.pays_tip else 0


def _never(rental: Rental, listing: Listing) -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Task:
    """One way to end a rental or to move it on, as pure functions of its accounts.

    `due_at` gives from when that may be done, None for never as it stands, `ends_at` from when no longer; `split` how
    the escrow is divided then; `build` is the generated builder of the instruction. A task is for rentals that hold
    their machine, or with `of_challenger` for those that wait for it.
    """

    name: str
    due_at: Callable[[Rental, Listing], int | None]
    split: Callable[[Rental, Listing], Split]
    build: Callable[..., Instruction]
    ends_at: Callable[[Rental, Listing], int | None] = _never
    of_challenger: bool = False
    names_challenger: bool = False
    """Whether the instruction names the rental that waits for the machine."""
    pays_tip: bool = True

    def find_due(self, snapshot: Snapshot, now: int) -> list[Due]:
        """The rentals that may be ended this way at `now`, the longest overdue first."""
        found = []
        for address, rental, listing in self._pairs(snapshot):
            due_at, ends_at = self.due_at(rental, listing), self.ends_at(rental, listing)
            if due_at is not None and due_at <= now and (ends_at is None or now < ends_at):
                found.append(Due(self, address, rental, listing, due_at, self.split(rental, listing)))
        return sorted(found, key=lambda due: (due.due_at, bytes(due.address)))

    def times(self, snapshot: Snapshot) -> Iterator[int | None]:
        """From when each rental may be ended this way, as it stands."""
        return (self.due_at(rental, listing) for _, rental, listing in self._pairs(snapshot))

    def _pairs(self, snapshot: Snapshot) -> Iterator[tuple[Pubkey, Rental, Listing]]:
        for address, rental in snapshot.rentals.items():
            listing = snapshot.listings.get(rental.listing)
            if listing is not None and (listing.challenger == address) == self.of_challenger:
                yield address, rental, listing


def find_all_due(tasks: Iterable[Task], snapshot: Snapshot, now: int) -> list[Due]:
    """What is due at `now`; each rental once, by the first task that may end it."""
    found: dict[Pubkey, Due] = {}
    for task in tasks:
        for due in task.find_due(snapshot, now):
            found.setdefault(due.address, due)
    return list(found.values())


def next_due_at(tasks: Iterable[Task], snapshot: Snapshot, now: int) -> int | None:
    """The earliest moment after `now` at which something that is not due yet may be; None without rentals."""
    times = (time for task in tasks for time in task.times(snapshot))
    return min((time for time in times if time is not None and time > now), default=None)
