"""A node's PubSub that refuses subscriptions before it takes one, and one that tells often or late."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


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


class PubsubRelay:
    """A cluster's PubSub that tells of each change `times`, and not before `may_tell`; slots pass as they do."""

    def __init__(self, target: str, times: int) -> None:
        self.ws_url = ""
        self.subscribed = asyncio.Event()
        self.may_tell = asyncio.Event()
        self.told = asyncio.Event()
        self._target = target
        self._times = times

    @classmethod
    @asynccontextmanager
    async def running(cls, target: str, *, times: int) -> AsyncIterator[PubsubRelay]:
        """The relay on a port of its own."""
        relay = cls(target, times)
        async with serve(relay._relay, "127.0.0.1", 0) as server:
            relay.ws_url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            yield relay

    async def _relay(self, socket: ServerConnection) -> None:
        changes: asyncio.Queue[str | bytes] = asyncio.Queue()
        with suppress(ConnectionClosed):
            async with connect(self._target) as node:
                others = [
                    asyncio.create_task(self._ask(socket, node)),
                    asyncio.create_task(self._tell(socket, changes)),
                ]
                try:
                    async for message in node:
                        method = json.loads(message).get("method")
                        if method in (None, "slotNotification"):
                            await socket.send(message)
                            self.subscribed.set()
                        else:
                            changes.put_nowait(message)
                finally:
                    for other in others:
                        other.cancel()
                    await asyncio.gather(*others, return_exceptions=True)

    async def _ask(self, socket: ServerConnection, node: ClientConnection) -> None:
        async for message in socket:
            await node.send(message)
        await node.close()

    async def _tell(self, socket: ServerConnection, changes: asyncio.Queue[str | bytes]) -> None:
        while True:
            message = await changes.get()
            await self.may_tell.wait()
            for _ in range(self._times):
                await socket.send(message)
            self.told.set()
