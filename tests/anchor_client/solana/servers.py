"""Servers on sockets of their own, that say what a test has them say."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

Serve = Callable[[bytes], Awaitable[bytes | None]]


class Server:
    """Answers each request with what `serve` gives, and hangs up after None; counts connections."""

    def __init__(self, serve: Serve) -> None:
        self.connections = 0
        self.requests: list[bytes] = []
        self.url = ""
        self._serve = serve
        self._open: set[asyncio.StreamWriter] = set()
        self._talking: set[asyncio.Task[None] | None] = set()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._talking.add(asyncio.current_task())
        self._open.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
                self.requests.append(head + await reader.readexactly(int(length or 0)))
                answer = await self._serve(self.requests[-1])
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    def hang_up(self) -> None:
        """Closes every connection."""
        for writer in self._open:
            writer.close()

    async def end(self) -> None:
        """Closes every connection and waits for the end of what served them."""
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*filter(None, self._talking), return_exceptions=True)
        await asyncio.sleep(0.01)  # the loop closes the sockets


@asynccontextmanager
async def serving(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server on a port of its own."""
    server = Server(serve)
    async with await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=tls) as listening:
        server.url = f"http{'s' if tls else ''}://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield server
        finally:
            await server.end()


class Node:
    """A node at a slot, with faults on demand: `status`, `headers`, `body` instead of an answer, `delay` seconds.

    While it is `held` it does not answer.
    """

    def __init__(self, slot: int) -> None:
        self.slot = slot
        self.status = 200
        self.headers = ""
        self.body: str | None = None
        self.delay = 0.0
        self.held: asyncio.Event | None = None
        self.refusal: tuple[int, str] | None = None
        self.takes_batches = True
        self.certificate: dict[str, Any] | None = None
        self.honours_least = True
        self.calls: Counter[str] = Counter()
        self.requests: list[Any] = []
        self.url = ""
        self.server: Server | None = None

    async def serve(self, request: bytes) -> bytes | None:
        asked = json.loads(request.partition(b"\r\n\r\n")[2])
        self.requests.append(asked)
        for each in asked if isinstance(asked, list) else [asked]:
            self.calls[each["method"]] += 1
        await asyncio.sleep(self.delay)
        if self.held is not None:
            await self.held.wait()
        text = self.body if self.body is not None else self._answer(asked)
        head = f"HTTP/1.1 {self.status} x\r\n{self.headers}Content-Length: {len(text)}\r\n\r\n"
        return (head + text).encode()

    def _answer(self, asked: Any) -> str:
        if isinstance(asked, list) and self.takes_batches:
            return json.dumps([self._one(each) for each in reversed(asked)])
        if isinstance(asked, list):
            return json.dumps(self._error(None, -32600, "no batches"))
        return json.dumps(self._one(asked))

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method, params = asked["method"], asked["params"]
        if self.refusal is not None and method not in ("getSlot", "getBlockHeight"):
            return self._error(asked["id"], *self.refusal)
        config = params[-1] if params and isinstance(params[-1], dict) else {}
        if self.honours_least and config.get("minContextSlot", 0) > self.slot:
            return self._error(asked["id"], -32016, "Minimum context slot has not been reached")
        answers: dict[str, Any] = {
            "getSlot": self.slot,
            "getBlockHeight": self.slot,
            "getBalance": {"context": {"slot": self.slot}, "value": 7},
            "getSignatureStatuses": {"context": {"slot": self.slot}, "value": [None]},
            "getLatestBlockhash": {
                "context": {"slot": self.slot},
                "value": {"blockhash": "1" * 32, "lastValidBlockHeight": self.slot + 150},
            },
            "sendTransaction": "1" * 64,
            "getTransaction": params[0] if params else None,
            "requestAirdrop": "1" * 64,
            "getAgGenesisCert": self.certificate,
        }
        return {"jsonrpc": "2.0", "id": asked["id"], "result": answers[method]}

    def _error(self, number: int | None, code: int, message: str) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


@asynccontextmanager
async def nodes(*slots: int) -> AsyncIterator[list[Node]]:
    """A node at each of these slots."""
    async with contextlib.AsyncExitStack() as stack:
        made = [Node(slot) for slot in slots]
        for node in made:
            node.server = await stack.enter_async_context(serving(node.serve))
            node.url = node.server.url
        yield made
