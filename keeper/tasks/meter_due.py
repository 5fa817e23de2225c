"""A meter that anyone may move along now, and the kinds of task that find such meters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Meter


@dataclass(frozen=True, slots=True)
class MeterSnapshot:
    """Open meters by address, and the rentals of theirs that are gone; `now` is the cluster's clock, unix seconds."""

    now: int
    meters: Mapping[Pubkey, Meter]
    ended: frozenset[Pubkey]


@dataclass(frozen=True, slots=True)
class MeterTask:
    """One way to move a meter along.

    `due_at` gives when that is possible, None for never as the meter stands; its second argument is whether the rental
    is gone. `build` is the generated builder; `pays` says whom it may pay, the host and the renter.
    """

    name: str
    due_at: Callable[[Meter, bool], int | None]
    build: Callable[..., Instruction]
    pays: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class MeterDue:
    """A meter that is due, since `due_at`."""

    task: MeterTask = field(repr=False)
    address: Pubkey
    meter: Meter = field(repr=False)
    due_at: int


def find_meters_due(tasks: Iterable[MeterTask], snapshot: MeterSnapshot) -> list[MeterDue]:
    """What is due now; each meter once, by the first task that may move it along."""
    found: dict[Pubkey, MeterDue] = {}
    for task in tasks:
        for address, meter in snapshot.meters.items():
            due_at = task.due_at(meter, meter.rental in snapshot.ended)
            if due_at is not None and due_at <= snapshot.now:
                found.setdefault(address, MeterDue(task, address, meter, due_at))
    return sorted(found.values(), key=lambda due: (due.due_at, bytes(due.address)))
