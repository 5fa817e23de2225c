"""The account of whoever matched a rental's request, which `start_rental` pays."""

from __future__ import annotations

from solders.instruction import AccountMeta

from anchor_client.generated.accounts import Listing, Rental


def matcher_account(rental: Rental, listing: Listing) -> list[AccountMeta]:
    """The remaining account of a start: none for a rental that its renter ordered, or that has started."""
    if rental.is_matched:
        return [AccountMeta(listing.matcher, is_signer=False, is_writable=True)]
    return []
