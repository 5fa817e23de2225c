"""A wallet's saved searches at the market's API."""

from __future__ import annotations

from typing import Any

import msgspec

from anchor_client.api.accounts import AccountsApi, SignInTokens

PATH = "/api/searches"


class WalletSearch(msgspec.Struct):
    """A search among the listings, by the names of their list's filters."""

    id: str
    name: str
    filters: dict[str, Any]
    created_at: int


class SavedSearches(msgspec.Struct):
    """All of a wallet's."""

    searches: list[WalletSearch]


class SearchesApi:
    """As the wallet of tokens. UnreachableApi, WrongApi, ApiRefused."""

    def __init__(self, api: AccountsApi, tokens: SignInTokens) -> None:
        self._api = api
        self._tokens = tokens

    async def save(self, name: str, filters: dict[str, Any]) -> WalletSearch:
        """Has the wallet's webhooks told of listings that come to fit."""
        return await self._api.ask("POST", PATH, WalletSearch, {"name": name, "filters": filters}, self._tokens)

    async def list(self) -> list[WalletSearch]:
        """The wallet's, newest first."""
        return (await self._api.ask("GET", PATH, SavedSearches, None, self._tokens)).searches

    async def remove(self, id: str) -> None:
        """Forgets one."""
        await self._api.ask("DELETE", f"{PATH}/{id}", object, None, self._tokens)
