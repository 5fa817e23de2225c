"""Ends a rental that its host did not start in time."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import cancel_unstarted
from anchor_client.rules.rental import Split, is_running, split
from keeper.tasks.due import Task


def _due_at(rental: Rental, listing: Listing) -> int | None:
    """The host may still start in the last second of its time."""
    return None if is_running(rental) else rental.created_at + rental.provision_timeout + 1


def _split(rental: Rental, listing: Listing) -> Split:
    return split(rental, 0, host_at_fault=True)


CANCEL_UNSTARTED: Final = Task("cancel_unstarted", _due_at, _split, cancel_unstarted)
