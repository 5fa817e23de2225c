"""Requests to one server over a pool of connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Final, Self

from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import HttpAnswer, NoConnection
from anchor_client.solana.http.connection import HttpConnection
from anchor_client.solana.http.dialing import dial
from anchor_client.solana.http.request import request_of

MOST_CONNECTIONS: Final = 128
SECONDS: Final = 5.0
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
IDLE_SECONDS: Final = 25.0
"""After which a connection is not used again: many servers close theirs after half a minute or more."""


class HttpClient:
    """Asks one server; an async context manager. `timeout` in seconds, for each part of an answer."""

    def __init__(self, url: str, *, timeout: float = SECONDS) -> None:
        self._url = url
        self._timeout = timeout
        self._address: Address | None = None
        self._idle: list[HttpConnection] = []
        self._busy: set[HttpConnection] = set()
        self._room = asyncio.Semaphore(MOST_CONNECTIONS)

    async def post(self, body: bytes) -> HttpAnswer:
        """Posts JSON to the URL itself. HttpFailure."""
        return await self.request("POST", body=body)

    async def request(
        self, method: str, path: str = "", *, body: bytes | None = None, headers: Mapping[str, str] = NO_HEADERS
    ) -> HttpAnswer:
        """Asks for a path below the URL, with a body of JSON. HttpFailure: NoHttpUrl, NoConnection and so on."""
        request = request_of(self._server(), method, path, body=body, headers=headers)
        async with self._room:
            connection = self._take()
            if connection is not None:
                try:
                    return await self._ask(connection, request)
                except NoConnection:
                    if connection.has_heard:
                        raise
                    # Most likely it was closed for being idle; a new one shows whether it was.
            return await self._ask(await dial(self._server(), self._timeout), request)

    async def close(self) -> None:
        """Ends the connections, and with them the requests that still wait."""
        for connection in (*self._idle, *self._busy):
            connection.close()
        self._idle.clear()
        # asyncio tells connections that they are lost in its next turn.
        await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _server(self) -> Address:
        if self._address is None:
            self._address = Address.of(self._url)
        return self._address

    def _take(self) -> HttpConnection | None:
        """The connection used last that is still good."""
        stale_before = time.monotonic() - IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if connection.is_reusable and connection.used_at > stale_before:
                return connection
            connection.close()
        return None

    async def _ask(self, connection: HttpConnection, request: bytes) -> HttpAnswer:
        self._busy.add(connection)
        try:
            answer = await connection.ask(request, self._timeout)
        finally:
            self._busy.discard(connection)
        if connection.is_reusable:
            self._idle.append(connection)
        else:
            connection.close()
        return answer
