"""The way to a node that fails in the ways in which nodes do, from one moment to another."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

import httpx

from tests.processes.patience import PATIENCE

ABORT = struct.pack("ii", 1, 0)
"""Linger for no time: the connection is reset."""


class Fault(StrEnum):
    """What the node does instead of answering."""

    DEAD = "dead: refuses connections"
    RESET = "resets connections"
    HTML = "HTML with status 200"
    LIMITED = "429"
    LIMITED_FOR_LONG = "429 with Retry-After: 2"
    UNAVAILABLE = "503"
    GARBAGE = "garbage instead of JSON"
    ERROR = "an error of JSON-RPC"
    EMPTY = "null as every result"


PAGES = {
    Fault.HTML: (200, "", "<html><body>Sorry</body></html>"),
    Fault.LIMITED: (429, "", ""),
    Fault.LIMITED_FOR_LONG: (429, "Retry-After: 2\r\n", ""),
    Fault.UNAVAILABLE: (503, "", "upstream"),
    Fault.GARBAGE: (200, "", '{"jsonrpc": "2.0", "id": 1, "resu\ufffd'),
}


class FaultyNode:
    """Passes requests on to `target` while there is no `fault`."""

    def __init__(self, target: str, ws_url: str) -> None:
        self.fault: Fault | None = None
        self.ws_url = ws_url
        self.hits = 0
        """Requests that met a fault."""
        self.http_url = ""
        self._target = target
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def begin(self, fault: Fault) -> None:
        """From now on."""
        self.fault = fault
        if fault is Fault.DEAD:
            await self._close()

    async def end(self) -> None:
        """As before."""
        if self._server is None:
            await self.listen()
        self.fault = None

    async def listen(self) -> None:
        """Takes connections, always on the same port."""
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        self.http_url = f"http://127.0.0.1:{self._port}"

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()
        self._server = None

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            async with httpx.AsyncClient(timeout=PATIENCE) as client:
                while await self._one(client, reader, writer):
                    pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _one(self, client: httpx.AsyncClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = await reader.readexactly(int(length or 0))
        fault = self.fault
        if fault is not None:
            self.hits += 1
        if fault is Fault.RESET:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            return False
        if fault is None:
            answer = await client.post(self._target, content=body, headers={"Content-Type": "application/json"})
            status, headers, text = answer.status_code, "", answer.text
        else:
            status, headers, text = PAGES.get(fault) or (200, "", _refused(body, fault))
        content = text.encode()
        writer.write(f"HTTP/1.1 {status} x\r\n{headers}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        await writer.drain()
        return True


def _refused(body: bytes, fault: Fault) -> str:
    asked = json.loads(body)
    said = {"error": {"code": -32603, "message": "Internal error"}} if fault is Fault.ERROR else {"result": None}
    answers = [{"jsonrpc": "2.0", "id": each["id"], **said} for each in (asked if isinstance(asked, list) else [asked])]
    return json.dumps(answers if isinstance(asked, list) else answers[0])


@asynccontextmanager
async def faulty(target: str, ws_url: str) -> AsyncIterator[FaultyNode]:
    """A way to a node that works at first."""
    node = FaultyNode(target, ws_url)
    await node.listen()
    try:
        yield node
    finally:
        await node._close()
        await asyncio.sleep(0.01)
