"""Candidates for due work, from an index's read API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal
from urllib.parse import urlencode

import msgspec
from msgspec import Meta, Struct
from solders.pubkey import Pubkey

from anchor_client.api.market import MarketApi
from anchor_client.errors import UnreachableApi
from keeper.errors import IndexStale, IndexWrong

PAGE: Final = 1_000
MOST_NAMED: Final = 100_000
"""More than a market has open at the same time; an index that names more is not trusted."""


class _Health(Struct, frozen=True):
    status: str
    problems: list[str]
    complete_slot: Annotated[int, Meta(ge=0)]
    lag_seconds: float


class _Due(Struct, frozen=True):
    kind: Literal["job", "request"]
    id: Annotated[str, Meta(min_length=32, max_length=44)]


class _Page(Struct, frozen=True):
    due: list[_Due]
    next_cursor: str | None


_read_health = msgspec.json.Decoder(_Health)
_read_page = msgspec.json.Decoder(_Page)


@dataclass(frozen=True, slots=True)
class Named:
    """Rentals and requests that may be due, from an index that is complete up to `complete_slot`."""

    complete_slot: int
    rentals: tuple[Pubkey, ...] = ()
    requests: tuple[Pubkey, ...] = field(default=())


class IndexApi:
    """Asks a market's API. Raises UnreachableApi, WrongApi, ApiRefused, IndexStale and IndexWrong."""

    def __init__(self, api: MarketApi, max_lag_seconds: float) -> None:
        self._api = api
        self._max_lag = max_lag_seconds

    async def named(self, before: int) -> Named:
        """Accounts that may be due up to `before`, unix seconds, from an index that is healthy and does not lag."""
        complete_slot = await self._complete_slot()
        found: dict[Pubkey, str] = {}
        cursor: str | None = None
        while True:
            query: dict[str, object] = {"before": before, "limit": PAGE} | ({"cursor": cursor} if cursor else {})
            page = await self._page(query)
            known = len(found)
            found |= _addresses(page)
            if page.next_cursor is None:
                break
            # A broken or hostile index must not hold the keeper in this loop.
            if len(found) == known or len(found) > MOST_NAMED:
                raise IndexWrong("its pages never end")
            cursor = page.next_cursor
        kinds: Mapping[str, tuple[Pubkey, ...]] = {
            kind: tuple(address for address, named in found.items() if named == kind) for kind in ("job", "request")
        }
        return Named(complete_slot, kinds["job"], kinds["request"])

    async def _complete_slot(self) -> int:
        answer = await self._api.ask("GET", "/health")
        try:
            health = _read_health.decode(answer.text)
        except (msgspec.DecodeError, ValueError) as error:
            if answer.is_server_error:
                raise UnreachableApi(f"{self._api.endpoint} answers with HTTP status {answer.status}") from error
            raise IndexWrong("malformed /health response") from error
        if health.status != "ok":
            raise IndexStale(health.problems[0] if health.problems else f"it is {health.status}")
        if health.lag_seconds > self._max_lag:
            raise IndexStale(f"it lags {health.lag_seconds:.0f} s")
        return health.complete_slot

    async def _page(self, query: Mapping[str, object]) -> _Page:
        answer = await self._api.ask("GET", f"/api/due?{urlencode(query)}")
        if not answer.is_success:
            raise self._api.failure(answer)
        try:
            return _read_page.decode(answer.text)
        except (msgspec.DecodeError, ValueError) as error:
            raise IndexWrong("malformed /api/due response") from error


def _addresses(page: _Page) -> dict[Pubkey, str]:
    try:
        return {Pubkey.from_string(entry.id): entry.kind for entry in page.due}
    except ValueError as error:
        raise IndexWrong("it names an invalid address") from error
