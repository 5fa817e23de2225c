"""Gives an order that has waited too long for its machine its money back."""

from __future__ import annotations

from typing import Any, Final

from solders.instruction import Instruction

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.instructions import withdraw_challenger
from anchor_client.rules.rental import Split, offline_at, split
from keeper.tasks.due import Task

_UNNEEDED: Final = frozenset({"host_token", "mint"})


def _due_at(rental: Rental, listing: Listing) -> int | None:
    """Only of a silent host: any other machine can still be handed over."""
    return max(listing.preempt_at + rental.provision_timeout + 1, offline_at(rental, listing))


def _split(rental: Rental, listing: Listing) -> Split:
    return split(rental, 0, host_at_fault=False)


def _build(**accounts: Any) -> Instruction:
    return withdraw_challenger(**{name: account for name, account in accounts.items() if name not in _UNNEEDED})


WITHDRAW_CHALLENGER: Final = Task("withdraw_challenger", _due_at, _split, _build, of_challenger=True)
