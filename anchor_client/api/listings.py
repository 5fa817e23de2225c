"""Listings from the market's API, with the data that only the index has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, get_type_hints

import msgspec
from solders.pubkey import Pubkey

from anchor_client.api.market import MarketApi
from anchor_client.errors import ApiRefused, WrongApi
from anchor_client.resources.listing import INDEXED, Listing, Measured

NOT_INDEXED = "listing_not_found"
_FIGURES: Final = msgspec.defstruct("Figures", list(get_type_hints(Measured).items()))
_HINTS: Final = get_type_hints(Listing) | {"measured": _FIGURES | None}
_INDEXED_FIELDS: Final = msgspec.defstruct("IndexedListing", [(name, _HINTS[name]) for name in INDEXED])


class ListingsApi(MarketApi):
    """Listings at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def listings(self, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
        """Listings that fit all filters, as JSON, by address."""
        rows = [row async for row in self.pages("/api/marketplace/listings", "listings", filters)]
        try:
            return {Pubkey.from_string(row["id"]): _indexed(row) for row in rows}
        except (ValueError, KeyError, TypeError) as error:
            raise WrongApi(f"{self.endpoint} returned an invalid list of listings") from error

    async def listing(self, address: Pubkey) -> dict[str, Any] | None:
        """One of them, also a hidden one, as JSON; None while the index does not have it."""
        answer = await self.ask("GET", f"/api/marketplace/listings/{address}")
        if not answer.is_success:
            failure = self.failure(answer)
            if isinstance(failure, ApiRefused) and failure.name == NOT_INDEXED:
                return None
            raise failure
        try:
            return _indexed(json.loads(answer.text))
        except ValueError as error:
            raise WrongApi(f"{self.endpoint} returned an invalid listing") from error


def _indexed(row: dict[str, Any]) -> dict[str, Any]:
    """The row, if the data that only the index has is of its types. ValueError."""
    msgspec.convert(row, _INDEXED_FIELDS)
    return row
