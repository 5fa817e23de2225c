"""Ends a running rental whose host has gone silent, before its paid time is over."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import report_offline
from anchor_client.rules.rental import Split, is_running, offline_at, paid_until, split, used_until_silence
from keeper.tasks.due import Task


def _due_at(rental: Rental, listing: Listing) -> int | None:
    """Silence that begins to count at the end of the paid time or later is no reason any more."""
    if not is_running(rental):
        return None
    at = offline_at(rental, listing)
    return at if at <= paid_until(rental) else None


def _split(rental: Rental, listing: Listing) -> Split:
    return split(rental, used_until_silence(rental, listing), host_at_fault=True)


REPORT_OFFLINE: Final = Task("report_offline", _due_at, _split, report_offline)
