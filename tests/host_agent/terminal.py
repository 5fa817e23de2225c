"""A browser's terminal, without the browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from anchor_client.connection import Connection
from tests.host_agent.docker.https import unverified
from tests.processes.patience import PATIENCE


@dataclass
class Terminal:
    """A renter's end of a terminal: types, and keeps what is printed."""

    socket: ClientConnection
    seen: str = ""

    async def type(self, text: str) -> None:
        """Types."""
        await self.socket.send(text.encode())

    async def resize(self, columns: int, rows: int) -> None:
        """Says how large the terminal is now."""
        await self.socket.send(json.dumps({"columns": columns, "rows": rows}))

    async def until(self, text: str) -> None:
        """Waits until something is printed; what came before it is forgotten."""
        async with asyncio.timeout(PATIENCE):
            while text not in self.seen:
                said = await self.socket.recv()
                assert isinstance(said, bytes)
                self.seen += said.decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    async def ended(self) -> tuple[int | None, str | None]:
        """Waits until the machine has closed it: the code and why."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code, self.socket.close_reason


@asynccontextmanager
async def dialled(connection: Connection, first: object = None, **more: object) -> AsyncIterator[Terminal]:
    """A WebSocket to the terminal; its first message is a login, or something else."""
    url = f"wss://{connection.host}:{connection.terminal}/"
    login = {"password": connection.password, "columns": 100, "rows": 30}
    async with connect(url, ssl=unverified(), proxy=None, compression=None) as socket:
        with suppress(ConnectionClosed):  # whoever comes too many is not heard
            await socket.send(json.dumps({**login, **more} if first is None else first))
        yield Terminal(socket)
