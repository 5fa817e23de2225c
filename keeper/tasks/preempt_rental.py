"""Ends a challenged spot rental after its grace and hands its machine to the order that waits."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import preempt
from anchor_client.rules.listing import has_challenger
from anchor_client.rules.rental import Split, is_running, offline_at, paid_until, split
from keeper.tasks.due import Task


def _due_at(rental: Rental, listing: Listing) -> int | None:
    return listing.preempt_at if has_challenger(listing) else None


def _ends_at(rental: Rental, listing: Listing) -> int:
    """At the end of the paid time and at silence it ends by the tasks for those."""
    silent = offline_at(rental, listing)
    return min(silent, paid_until(rental)) if is_running(rental) else silent


def _split(rental: Rental, listing: Listing) -> Split:
    """As if in its last second but one, so that whoever may be owed something is paid."""
    used = max(rental.duration - 1, rental.settled) if is_running(rental) else 0
    return split(rental, used, host_at_fault=False)


PREEMPT_RENTAL: Final = Task("preempt_rental", _due_at, _split, preempt, ends_at=_ends_at, names_challenger=True)
