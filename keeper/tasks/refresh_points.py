"""Gives listings the catalog's present points: anyone may, nobody is paid for it."""

from __future__ import annotations

from collections.abc import Mapping

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Catalog, Listing


def find_due(listings: Mapping[Pubkey, Listing], catalog: Catalog) -> list[Pubkey]:
    """The listings whose points are not those that the catalog gives their machine now."""
    due = [address for address, listing in listings.items() if listing.points != points_of(listing, catalog)]
    return sorted(due, key=bytes)


def points_of(listing: Listing, catalog: Catalog) -> int:
    """GPU points of a machine; none for a model that the catalog has no number for. Twin of state/catalog.rs."""
    if listing.gpu_model >= len(catalog.points):
        return 0
    return catalog.points[listing.gpu_model] * listing.gpu_count
