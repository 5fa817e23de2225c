"""Ends a running rental whose paid time is over."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import finalize_rental
from anchor_client.rules.rental import Split, is_running, paid_until, silent_before_end, split, used_until_silence
from keeper.tasks.due import Task


def _due_at(rental: Rental, listing: Listing) -> int | None:
    return paid_until(rental) if is_running(rental) else None


def _split(rental: Rental, listing: Listing) -> Split:
    """A host that was silent before the end is paid up to its last heartbeat only."""
    if silent_before_end(rental, listing):
        return split(rental, used_until_silence(rental, listing), host_at_fault=True)
    return split(rental, rental.duration, host_at_fault=False)


FINALIZE_RENTAL: Final = Task("finalize_rental", _due_at, _split, finalize_rental)
