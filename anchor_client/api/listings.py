"""Listings from the market's API, with the data that only the index has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.api.market import MarketApi
from anchor_client.errors import ApiRefused, WrongApi
from anchor_client.resources.listing import INDEXED

NOT_INDEXED = "listing_not_found"


class ListingsApi(MarketApi):
    """Listings at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def listings(self, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
        """Listings that fit all filters, as JSON, by address."""
        rows = [row async for row in self.pages("/api/marketplace/listings", "listings", filters)]
        try:
            return {Pubkey.from_string(row["id"]): row for row in rows}
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
            told: dict[str, Any] = json.loads(answer.text)
            return told | {name: told[name] for name in INDEXED}
        except (ValueError, KeyError, TypeError) as error:
            raise WrongApi(f"{self.endpoint} returned an invalid listing") from error
