"""A node's PubSub that refuses subscriptions before it takes one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve


class PubsubNode:
    """Refuses the first `refusals` requests, takes those that follow and sends a slot after each; see `running`."""

    def __init__(self, refusals: int) -> None:
        self.requests: list[dict[str, Any]] = []
        self.taken = asyncio.Event()
        self.ws_url = ""
        self._refusals = refusals
        self.is_silent = False

    @classmethod
    @asynccontextmanager
    async def running(cls, *, refusals: int) -> AsyncIterator[PubsubNode]:
        """The node on a port of its own."""
        node = cls(refusals)
        async with serve(node._answer, "127.0.0.1", 0) as server:
            node.ws_url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            yield node

    async def _answer(self, socket: ServerConnection) -> None:
        async for message in socket:
            request = json.loads(message)
            self.requests.append(request)
            answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
            if len(self.requests) <= self._refusals:
                error = {"code": -32601, "message": "Method not found"}
                await socket.send(json.dumps(answer | {"error": error}))
                continue
            await socket.send(json.dumps(answer | {"result": 1}))
            if self.is_silent:
                continue
            slot = {"parent": 1, "root": 1, "slot": 2}
            notification = {"jsonrpc": "2.0", "method": "slotNotification"}
            await socket.send(json.dumps(notification | {"params": {"result": slot, "subscription": 1}}))
            self.taken.set()
