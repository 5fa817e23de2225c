"""Follows a market's feed: the API's updates of topics, as they happen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from anchor_client.errors import ApiRefused, UnreachableApi, WrongApi
from anchor_client.service.pacing import UNTIL_DONE
from anchor_client.service.redaction import Endpoint

PATH: Final = "/api/feed"
SECONDS: Final = 10.0
"""Seconds that the API has to accept a connection, and then to greet."""
MOST_FAILURES: Final = 3
"""In a row, after which the feed counts as unreachable."""
MOST_MESSAGE_BYTES: Final = 16 * 1024 * 1024
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
PASSING: Final = frozenset({"feed_full", "too_slow", "too_many_requests"})
"""Refusals after which it may be tried again."""
_LOST: Final = (ConnectionClosed, InvalidHandshake, OSError, TimeoutError)


class FeedMessage(msgspec.Struct):
    """A message of the feed, by its `type`; `data` is JSON as it came."""

    type: str
    cursor: str | None = None
    topic: str | None = None
    error: str = ""
    detail: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def is_placed(self) -> bool:
        """True where the feed can be resumed after its cursor."""
        return self.type in ("hello", "event", "withdrawn")


class Feed:
    """The feed of the API at a URL. `headers` may have a credential, which its limits count by."""

    def __init__(self, api_url: str, *, headers: Mapping[str, str] = NO_HEADERS) -> None:
        self.endpoint = Endpoint(api_url)
        self._headers = headers

    async def follow(self, *topics: str, idle_seconds: float | None = None) -> AsyncGenerator[FeedMessage | None, None]:
        """Every message from `hello` on; None wherever nothing has come for `idle_seconds`.

        Goes on behind the last cursor when the connection is lost. UnreachableApi after MOST_FAILURES in a row,
        WrongApi, ApiRefused.
        """
        after: str | None = None
        failures = 0
        while True:
            try:
                async with aclosing(self._connected(topics, after, idle_seconds)) as messages:
                    async for told in messages:
                        failures = 0
                        if told is not None and told.is_placed:
                            after = told.cursor
                        yield told
            except _LOST as error:
                failures += 1
                if failures == MOST_FAILURES:
                    raise UnreachableApi(f"The feed of {self.endpoint} cannot be followed") from error
            except ApiRefused as refusal:
                failures += 1
                if failures == MOST_FAILURES or refusal.name not in PASSING:
                    raise
            await asyncio.sleep(UNTIL_DONE.spread(failures))

    async def _connected(
        self, topics: Sequence[str], after: str | None, idle_seconds: float | None
    ) -> AsyncGenerator[FeedMessage | None, None]:
        """The messages of one connection, until it is lost."""
        try:
            async with connect(
                self._url(topics, after),
                additional_headers=self._headers,
                open_timeout=SECONDS,
                close_timeout=1,
                max_size=MOST_MESSAGE_BYTES,
            ) as socket:
                async with asyncio.timeout(SECONDS):
                    hello = await socket.recv()
                yield _read(hello)
                while True:
                    yield await _next(socket, idle_seconds)
        except (InvalidURI, msgspec.MsgspecError, ValueError) as error:
            raise WrongApi(f"{self.endpoint} has no feed of a market") from error

    def _url(self, topics: Sequence[str], after: str | None) -> str:
        parts = urlsplit(self.endpoint.url)
        asked = [("topic", topic) for topic in topics]
        if after is not None:
            asked.append(("after", after))
        scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
        return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + PATH, urlencode(asked), ""))


async def _next(socket: ClientConnection, idle_seconds: float | None) -> FeedMessage | None:
    try:
        async with asyncio.timeout(idle_seconds):
            return _read(await socket.recv())
    except TimeoutError:
        return None


def _read(text: str | bytes) -> FeedMessage:
    told = msgspec.json.decode(text, type=FeedMessage)
    if told.type == "error":
        raise ApiRefused(told.detail, told.error)
    return told
