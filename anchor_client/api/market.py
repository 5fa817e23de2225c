"""Asks a market's API over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlencode

import msgspec

from anchor_client.errors import ApiRefused, UnreachableApi, WrongApi
from anchor_client.service.optional import optional
from anchor_client.service.redaction import Endpoint
from anchor_client.solana.http.answer import HttpAnswer, HttpFailure, NoHttpUrl, TooSlow
from anchor_client.solana.http.client import HttpClient

SECONDS: Final = 10.0
"""Seconds that the API has to answer before it counts as unreachable."""


PAGE: Final = 100
Row = TypeVar("Row", bound=msgspec.Struct)


class Refusal(msgspec.Struct, frozen=True):
    """Body of a refusal by the API."""

    error: str
    detail: str
    remedy: str


class MarketApi:
    """An API by its URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    def __init__(self, api_url: str) -> None:
        self.endpoint = Endpoint(api_url)
        self._http = HttpClient(api_url, timeout=SECONDS)

    async def ask(self, method: str, path: str, document: dict[str, object] | None = None) -> HttpAnswer:
        """Whatever it answers, refusals too. UnreachableApi, WrongApi."""
        body = optional(msgspec.json.encode, document)
        try:
            return await self._http.request(method, path, body=body)
        except NoHttpUrl as error:
            raise WrongApi(f"{str(self.endpoint)!r} is not a URL of a market's API") from error
        except TooSlow as error:
            raise UnreachableApi(f"{self.endpoint} does not answer in time") from error
        except HttpFailure as error:
            raise UnreachableApi(f"{self.endpoint} cannot be reached") from error

    async def pages(self, path: str, name: str, filters: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
        """The rows of every page of a list. UnreachableApi, WrongApi, ApiRefused."""
        cursor: str | None = None
        while True:
            query = {**filters, "limit": str(PAGE)}
            if cursor is not None:
                query["cursor"] = cursor
            answer = await self.ask("GET", f"{path}?{urlencode(query)}")
            if not answer.is_success:
                raise self.failure(answer)
            try:
                page = json.loads(answer.text)
                rows = page[name]
                cursor = page["next_cursor"]
            except (ValueError, KeyError, TypeError) as error:
                raise WrongApi(f"{self.endpoint} returned an invalid response to {path}") from error
            for row in rows:
                yield row
            if cursor is None:
                return

    def read(self, kind: type[Row], row: object) -> Row:
        """A row as a kind of struct; its amounts are decimal strings in JSON. WrongApi."""
        try:
            return msgspec.convert(row, kind, strict=False)
        except msgspec.ValidationError as error:
            raise WrongApi(f"{self.endpoint} does not answer with a {kind.__name__.lower().strip('_')}") from error

    def failure(self, answer: HttpAnswer) -> ApiRefused | UnreachableApi | WrongApi:
        """Error that an unsuccessful answer stands for."""
        refusal = refusal_in(answer)
        if refusal is not None:
            return ApiRefused(refusal.detail, refusal.error, refusal.remedy)
        told = f"{self.endpoint} answers with HTTP status {answer.status}"
        return UnreachableApi(told) if answer.is_server_error else WrongApi(told)

    async def close(self) -> None:
        """Ends the connection."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def refusal_in(answer: HttpAnswer) -> Refusal | None:
    """The API's refusal; None when something else answers."""
    return read_refusal(answer.text)


def read_refusal(text: str | bytes) -> Refusal | None:
    """A refusal in JSON; None for something else."""
    try:
        return msgspec.json.decode(text, type=Refusal)
    except (msgspec.MsgspecError, UnicodeError):
        return None
