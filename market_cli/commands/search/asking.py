"""Common parts of the commands: the API as the signed-in wallet, and a search's output."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from anchor_client.api.searches import SearchesApi, WalletSearch
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, tokens_of


@asynccontextmanager
async def asking(session: CliSession) -> AsyncIterator[SearchesApi]:
    """The API as the signed-in wallet. NoApi, SignInNeeded."""
    async with accounts(session) as api:
        yield SearchesApi(api, await tokens_of(session, api))


async def save(session: CliSession, name: str, filters: dict[str, Any]) -> dict[str, Any]:
    """Saves a search; returns it for --json."""
    async with asking(session) as api:
        return document(await api.save(name, filters))


def document(search: WalletSearch) -> dict[str, Any]:
    """A search for --json."""
    return msgspec.structs.asdict(search)


def said(search: WalletSearch) -> str:
    """Its filters in words."""
    return " ".join(f"{name}={value}" for name, value in search.filters.items()) or "any machine"
