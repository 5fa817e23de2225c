"""Listings with data that only the market's API has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from solders.pubkey import Pubkey

from anchor_client.errors import API_FAILURES
from anchor_client.resources.listing import Listing
from market_cli.lazy import load
from market_cli.session import CliSession

if TYPE_CHECKING:
    from anchor_client.api.listings import ListingsApi


async def told_by_api(session: CliSession, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
    """The listings that match the filters, from the API. NoApi, and network errors."""
    async with _api(session) as api:
        return await api.listings(filters)


async def as_told_by_api(session: CliSession, listing: Listing) -> Listing:
    """The listing with the index's additional data. It stays unchanged without a configured API, and, with a warning,
    if the API fails or does not have it.
    """
    if session.settings.api_url is None:
        return listing
    try:
        async with _api(session) as api:
            told = await api.listing(listing.id)
    except API_FAILURES as error:
        session.out.warn(f"{error.message}: showing chain data only.")
        return listing
    if told is None:
        session.out.warn(f"The market's API does not know {listing.id} yet: showing chain data only.")
        return listing
    return listing.as_indexed(told)


def _api(session: CliSession) -> ListingsApi:
    api: ListingsApi = load("anchor_client.api.listings:ListingsApi")(session.api_url)
    return api
