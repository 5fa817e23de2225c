"""The states of topics: the API's own GET responses, for clients that follow them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from starlette.types import ASGIApp, Message, Scope

from indexer.api.feed import messages
from indexer.api.feed.log import Position
from indexer.api.feed.topics import state_path
from indexer.api.limits.middleware import WITHIN


class States:
    """Requests states, and remembers the last ones sent to all followers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._told: dict[str, bytes] = {}

    def forget(self) -> None:
        """No state has been sent."""
        self._told.clear()

    async def of(self, topics: Iterable[str], at: Position) -> AsyncIterator[bytes]:
        """The messages with these topics' states, of those that have one; they are at least as new as `at`."""
        for topic in sorted(topics):
            body = await self._ask(topic)
            if body is not None:
                yield messages.state(topic, at, body)

    async def changed(self, topics: Iterable[str], at: Position) -> AsyncIterator[tuple[str, bytes]]:
        """The same, with their topics, of those that differ from the last sent."""
        for topic in topics:
            body = await self._ask(topic)
            if body is not None and body != self._told.get(topic):
                self._told[topic] = body
                yield topic, messages.state(topic, at, body)

    async def _ask(self, topic: str) -> bytes | None:
        path = state_path(topic)
        return None if path is None else await _answer_of(self._app, path)


async def _answer_of(app: ASGIApp, path: str) -> bytes:
    """The body of the answer to GET `path`, whatever its status."""
    asked = False
    body = bytearray()

    async def receive() -> Message:
        nonlocal asked
        if asked:
            return {"type": "http.disconnect"}
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        body.extend(message.get("body", b""))

    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [],
        "client": None,
        "server": None,
        WITHIN: True,
    }
    await app(scope, receive, send)
    return bytes(body)
