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
from typing import Any

import httpx

from tests.processes.patience import PATIENCE

ABORT = struct.pack("ii", 1, 0)
"""Linger for no time: the connection is reset."""


class Fault(StrEnum):
    """The node's fault, instead of a response."""

    DEAD = "dead: refuses connections"
    RESET = "resets connections"
    HTML = "HTML with status 200"
    LIMITED = "429"
    LIMITED_FOR_LONG = "429 with Retry-After: 2"
    UNAVAILABLE = "503"
    GARBAGE = "garbage instead of JSON"
    ERROR = "an error of JSON-RPC"
    EMPTY = "null as every result"
    SLOW = "takes 20 s for each answer"
    HUNG = "never answers what it is asked meanwhile"
    BEHIND = "1,000 slots behind"
    ELSEWHERE = "of another cluster"


PASSED_ON = (None, Fault.SLOW, Fault.BEHIND, Fault.ELSEWHERE)
SLOW_SECONDS, BEHIND_SLOTS = 20.0, 1_000
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
        self.elsewhere = target
        """URL that answers ELSEWHERE, and whatever goes another way."""
        self.kept_from = 0
        """Slot before which transactions are forgotten."""
        self.fork = range(0)
        """Slots whose transactions are on the other fork; none of them or later is final here."""
        self.ws_url = ws_url
        self.hits = 0
        """Requests that met a fault."""
        self.http_url = ""
        self._target = target
        self._port = 0
        self._closed = asyncio.Event()
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
        self._closed = asyncio.Event()
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        self.http_url = f"http://127.0.0.1:{self._port}"

    async def _close(self) -> None:
        self._closed.set()
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
        if fault is Fault.HUNG:
            await self._closed.wait()
            return False
        if fault is Fault.RESET:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            return False
        if fault in PASSED_ON:
            if fault is Fault.SLOW:
                await asyncio.sleep(SLOW_SECONDS)
            target = self.elsewhere if fault is Fault.ELSEWHERE else self._target
            answer = await client.post(target, content=body, headers={"Content-Type": "application/json"})
            status, headers, text = answer.status_code, "", self._as_kept(body, answer.text)
        else:
            status, headers, text = PAGES.get(fault) or (200, "", _refused(body, fault))
        content = text.encode()
        writer.write(f"HTTP/1.1 {status} x\r\n{headers}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        await writer.drain()
        return True

    def _as_kept(self, body: bytes, text: str) -> str:
        """The answers of a node that has forgotten, or does not have yet, what it does not have."""
        if self.fault is not Fault.BEHIND and not self.kept_from and not self.fork:
            return text
        asked, answers = json.loads(body), json.loads(text)
        if isinstance(asked, list):
            return json.dumps([self._kept(*each) for each in zip(asked, answers, strict=True)])
        return json.dumps(self._kept(asked, answers))

    def _kept(self, asked: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        result = answer.get("result")
        if self.fork and result:
            return self._forked(asked, answer)
        if self.fault is Fault.BEHIND and asked["method"] == "getMultipleAccounts" and result:
            slot = result["context"]["slot"] = result["context"]["slot"] - BEHIND_SLOTS
            if slot < asked["params"][-1].get("minContextSlot", 0):
                return _error(asked, -32016, "Minimum context slot has not been reached")
            return dict(answer)
        if asked["method"] == "getSignaturesForAddress" and result:
            # One that is behind knows nothing since long before the fault.
            kept = [] if self.fault is Fault.BEHIND else [each for each in result if each["slot"] >= self.kept_from]
            return answer | {"result": kept}
        if asked["method"] == "getTransaction" and result and result["slot"] < self.kept_from:
            return answer | {"result": None}
        return answer

    def _forked(self, asked: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        is_final = asked["params"][-1].get("commitment") == "finalized"
        result, root = answer["result"], self.fork.start - 1

        def is_here(slot: int) -> bool:
            return slot <= root or not (is_final or slot in self.fork)

        if asked["method"] == "getSignaturesForAddress":
            return answer | {"result": [each for each in result if is_here(each["slot"])]}
        if asked["method"] == "getTransaction":
            return answer | {"result": result if is_here(result["slot"]) else None}
        if asked["method"] == "getMultipleAccounts" and is_final:
            result["context"]["slot"] = min(result["context"]["slot"], root)
        return answer


def _error(asked: dict[str, Any], code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": message}}


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
