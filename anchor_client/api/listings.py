"""Listings as the market's API tells them: with what only the index knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.api.market import MarketApi
from anchor_client.errors import WrongApi


class ListingsApi(MarketApi):
    """Listings at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def listings(self, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
        """Those of which all filters hold, as JSON, by address."""
        rows = [row async for row in self.pages("/api/marketplace/listings", "listings", filters)]
        try:
            return {Pubkey.from_string(row["id"]): row for row in rows}
        except (ValueError, KeyError, TypeError) as error:
            raise WrongApi(f"{self.endpoint} answers with other than listings") from error
