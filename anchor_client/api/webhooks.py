"""A wallet's webhooks at the market's API."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import msgspec

from anchor_client.api.accounts import AccountsApi, SignInTokens

PATH = "/api/webhooks"


class Webhook(msgspec.Struct):
    """An endpoint; moments are unix seconds. A new one, or one with a new secret, has it."""

    id: str
    url: str
    types: list[str]
    topics: list[str]
    low_funds: list[str]
    created_at: int
    enabled: bool
    disabled_at: int | None
    disabled_reason: str | None
    failing_since: int | None
    old_secret_until: int | None
    secret: str | None = None


class Webhooks(msgspec.Struct):
    """All of a wallet's."""

    webhooks: list[Webhook]


class Delivery(msgspec.Struct):
    """A notice and its attempts; moments are unix seconds."""

    id: str
    type: str
    status: str
    attempts: int
    created_at: int
    last_at: int | None
    next_at: int | None
    response: int | None
    error: str | None


class Deliveries(msgspec.Struct):
    """Some deliveries, and where the next ones are."""

    deliveries: list[Delivery]
    next_cursor: str | None


class Replayed(msgspec.Struct):
    """Number of notices that are sent again."""

    replayed: int


class WebhooksApi:
    """As the wallet of tokens. UnreachableApi, WrongApi, ApiRefused."""

    def __init__(self, api: AccountsApi, tokens: SignInTokens) -> None:
        self._api = api
        self._tokens = tokens

    async def add(self, url: str, **chosen: Any) -> Webhook:
        """A new endpoint, with its secret; `chosen` are its types, topics and low_funds, by default the API's own."""
        return await self._api.ask("POST", PATH, Webhook, {"url": url, **chosen}, self._tokens)

    async def list(self) -> list[Webhook]:
        """The wallet's, newest first."""
        return (await self._api.ask("GET", PATH, Webhooks, None, self._tokens)).webhooks

    async def show(self, id: str) -> Webhook:
        """One of them."""
        return await self._api.ask("GET", f"{PATH}/{id}", Webhook, None, self._tokens)

    async def change(self, id: str, **changes: Any) -> Webhook:
        """Changes the given fields of a webhook."""
        return await self._api.ask("PATCH", f"{PATH}/{id}", Webhook, changes, self._tokens)

    async def rotate(self, id: str) -> Webhook:
        """Gives one another secret."""
        return await self._api.ask("POST", f"{PATH}/{id}/secret", Webhook, None, self._tokens)

    async def test(self, id: str) -> Delivery:
        """Sends a notice to try it with."""
        return await self._api.ask("POST", f"{PATH}/{id}/test", Delivery, None, self._tokens)

    async def deliveries(self, id: str, status: str | None, limit: int) -> Deliveries:
        """Deliveries to one webhook, newest first."""
        asked = {"limit": str(limit)}
        if status is not None:
            asked["status"] = status
        return await self._api.ask("GET", f"{PATH}/{id}/deliveries?{urlencode(asked)}", Deliveries, None, self._tokens)

    async def replay(self, id: str, delivery: str) -> Replayed:
        """Sends a notice again."""
        path = f"{PATH}/{id}/deliveries/{delivery}/replay"
        return await self._api.ask("POST", path, Replayed, None, self._tokens)

    async def replay_since(self, id: str, since: int, *, failed_only: bool) -> Replayed:
        """Sends all notices again that were made at a moment or later."""
        asked = {"since": since, "failed_only": failed_only}
        return await self._api.ask("POST", f"{PATH}/{id}/replay", Replayed, asked, self._tokens)

    async def remove(self, id: str) -> None:
        """Forgets one."""
        await self._api.ask("DELETE", f"{PATH}/{id}", object, None, self._tokens)
