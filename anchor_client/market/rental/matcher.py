"""The account of whoever matched a rental's request, which `start_rental` pays."""

from __future__ import annotations

from solders.instruction import AccountMeta

from anchor_client.generated.accounts import Rental
from anchor_client.rules.listing import NOBODY


def matcher_account(rental: Rental) -> list[AccountMeta]:
    """The remaining account of a start: none for a rental that its renter ordered, or that has started."""
    return [] if rental.matcher == NOBODY else [AccountMeta(rental.matcher, is_signer=False, is_writable=True)]
