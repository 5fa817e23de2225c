"""A market's feed that says what a test has it say."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, serve

Message = dict[str, Any]
Script = Callable[[int], tuple[Iterable[Message], int | None]]
"""Messages for the connection of this number, and the code that closes it after them; None keeps it open."""


class FeedServer:
    """Keeps what each connection has asked for."""

    def __init__(self, script: Script) -> None:
        self.asked: list[dict[str, list[str]]] = []
        self.url = ""
        self._script = script

    async def _answer(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.asked.append(parse_qs(urlsplit(socket.request.path).query))
        messages, code = self._script(len(self.asked) - 1)
        for message in messages:
            await socket.send(json.dumps(message))
        await (socket.wait_closed() if code is None else socket.close(code))


@asynccontextmanager
async def feed_server(script: Script) -> AsyncIterator[FeedServer]:
    """The server, on a port of its own."""
    server = FeedServer(script)
    async with serve(server._answer, "127.0.0.1", 0) as listening:
        server.url = f"http://127.0.0.1:{next(iter(listening.sockets)).getsockname()[1]}"
        yield server


def hello(cursor: str = "-0") -> Message:
    """The first message."""
    return {"type": "hello", "cursor": cursor, "topics": [], "final_slot": None}


def state(topic: str, body: Message) -> Message:
    """A topic's state."""
    return {"type": "state", "topic": topic, "cursor": "-0", "data": body}
