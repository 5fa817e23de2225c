"""Checks an order against the listing that it names, and names the nearest machines on offer where none fits it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.errors import ListingDisagrees
from anchor_client.market.host.needs import MachineNeeds
from anchor_client.market.host.offers import Offer

NEAREST = 3
"""Offers that are named."""


def require_agreement(offer: Offer, needs: MachineNeeds) -> None:
    """Refuses a listing that does not meet the needs that the order names too. ListingDisagrees."""
    unmet = needs.unmet(offer.address, offer.listing, offer.score)
    if unmet is not None:
        raise ListingDisagrees(f"Listing {offer.address} {unmet}")


def nearest(
    offers: Iterable[Offer], price: Callable[[Offer], int | None], needs: MachineNeeds, *, renter: Pubkey | None = None
) -> str:
    """A sentence that names the cheapest idle machines that meet the needs in any region, with their prices; empty if
    there are none. `price` is micro-USD an hour, None for a machine that takes no such order.
    """
    anywhere = replace(needs, region=None)
    idle = [
        (paid, offer)
        for offer in offers
        if offer.is_available
        and offer.listing.authority != renter
        and offer.meets(anywhere)
        and (paid := price(offer)) is not None
    ]
    return f"The nearest: {name_cheapest(idle)}. " if idle else ""


def name_cheapest(priced: Iterable[tuple[int, Offer]]) -> str:
    """The cheapest of some offers in words; micro-USD an hour."""
    cheapest = sorted(priced, key=lambda found: found[0])[:NEAREST]
    return ", ".join(f"{offer.address} at {usd(price)}/h" for price, offer in cheapest)
