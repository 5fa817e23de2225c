"""Checks an order against the listing that it names, and names the nearest machines on offer where none fits it."""

from __future__ import annotations

from collections.abc import Iterable

from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.errors import ListingDisagrees
from anchor_client.market.host.offers import Offer, price_of
from anchor_client.rules.catalog import Region, gpu_slug, region_slug
from anchor_client.rules.gpu_model import GpuModel

NEAREST = 3
"""Offers that are named."""


def require_agreement(offer: Offer, gpu: GpuModel | None, region: Region | None) -> None:
    """Refuses a listing that is not of the model or not in the region that the order names too. ListingDisagrees."""
    listing = offer.listing
    if gpu is not None and listing.gpu_model != gpu.id:
        raise ListingDisagrees(f"Listing {offer.address} is a {gpu_slug(listing.gpu_model)}, not a {gpu.slug}")
    if region is not None and listing.region != region.id:
        raise ListingDisagrees(f"Listing {offer.address} is in {region_slug(listing.region)}, not in {region.slug}")


def nearest(
    offers: Iterable[Offer],
    gpu: GpuModel | None,
    *,
    count: int | None = None,
    renter: Pubkey | None = None,
    spot: bool = False,
) -> str:
    """A sentence that names the cheapest idle machines of a model with their prices; empty if there are none."""
    idle = [
        offer
        for offer in offers
        if offer.is_available
        and offer.listing.authority != renter
        and (gpu is None or offer.listing.gpu_model == gpu.id)
        and (count is None or offer.listing.gpu_count == count)
        and price_of(offer, spot=spot) > 0
    ]
    if not idle:
        return ""
    return f"The nearest: {name_cheapest((price_of(offer, spot=spot), offer) for offer in idle)}. "


def name_cheapest(priced: Iterable[tuple[int, Offer]]) -> str:
    """The cheapest of some offers in words; micro-USD an hour."""
    cheapest = sorted(priced, key=lambda found: found[0])[:NEAREST]
    return ", ".join(f"{offer.address} at {usd(price)}/h" for price, offer in cheapest)
