"""Gives a machine that fell idle to the order that waits for it."""

from __future__ import annotations

from typing import Any, Final

from solders.instruction import Instruction

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions.take_over import take_over
from anchor_client.market.spot import NOBODY
from anchor_client.prices import Split
from keeper.tasks.due import Task
from keeper.tasks.rental_time import offline_at

_NOTHING: Final = Split(paid=0, fees=0, burned=0, refunded=0, subsidy_returned=0)


def _due_at(rental: Rental, listing: Listing) -> int | None:
    return listing.idle_since if listing.current == NOBODY else None


def _split(rental: Rental, listing: Listing) -> Split:
    return _NOTHING


def _build(**accounts: Any) -> Instruction:
    return take_over(rental=accounts["rental"], listing=accounts["listing"], program_id=accounts["program_id"])


TAKE_OVER_LISTING: Final = Task(
    "take_over_listing", _due_at, _split, _build, ends_at=offline_at, of_challenger=True, pays_tip=False
)
