"""Gives a machine that fell idle to the order that waits for it."""

from __future__ import annotations

from typing import Any, Final

from solders.instruction import Instruction

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import take_over
from anchor_client.rules.listing import is_idle
from anchor_client.rules.rental import Split, offline_at
from keeper.tasks.due import Task

_NOTHING: Final = Split(paid=0, fees=0, burned=0, refunded=0, subsidy_returned=0)


def _due_at(rental: Rental, listing: Listing) -> int | None:
    return listing.idle_since if is_idle(listing) else None


def _split(rental: Rental, listing: Listing) -> Split:
    return _NOTHING


def _build(**accounts: Any) -> Instruction:
    return take_over(rental=accounts["rental"], listing=accounts["listing"], program_id=accounts["program_id"])


TAKE_OVER_LISTING: Final = Task(
    "take_over_listing", _due_at, _split, _build, ends_at=offline_at, of_challenger=True, pays_tip=False
)
