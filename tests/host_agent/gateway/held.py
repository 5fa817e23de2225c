"""A renter's sessions that are held while things happen to the agent, and new ones meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncssh

from anchor_client.connection import Connection
from tests.host_agent.ssh import logged_in
from tests.host_agent.terminal import Terminal, dialled
from tests.processes.patience import PATIENCE

BANNER = b"SSH-2.0"


@dataclass
class HeldSessions:
    """A shell, a forwarded port that echoes, and a browser's terminal."""

    shell: asyncssh.SSHClientProcess[bytes]
    reader: asyncssh.SSHReader[bytes]
    writer: asyncssh.SSHWriter[bytes]
    terminal: Terminal
    turn: int = 0

    async def work(self) -> None:
        """Each of them answers something new."""
        self.turn += 1
        async with asyncio.timeout(PATIENCE):
            self.shell.stdin.write(f"echo $(({self.turn} + 1000))\n".encode())
            assert await self.shell.stdout.readline() == f"{self.turn + 1000}\n".encode()
            self.writer.write(f"{self.turn}\n".encode())
            assert await self.reader.readline() == f"{self.turn}\n".encode()
        await self.terminal.type(f"echo $(({self.turn} + 2000))\n")
        await self.terminal.until(str(self.turn + 2000))


@asynccontextmanager
async def held_sessions(connection: Connection, echo: int) -> AsyncIterator[HeldSessions]:
    """Opens one of each; something in the container echoes at a port."""
    async with logged_in(connection) as ssh, dialled(connection) as terminal:
        shell = await ssh.create_process("exec sh", encoding=None)
        reader, writer = await ssh.open_connection("localhost", echo, encoding=None)
        sessions = HeldSessions(shell, reader, writer, terminal)
        await sessions.work()
        yield sessions
        shell.kill()


@dataclass
class Newcomers:
    """Clients that connect one after the other."""

    greeted: int = 0
    refused: int = 0
    longest: float = 0.0
    """Longest time from a client's first try until one was greeted, seconds."""
    is_over: bool = False
    """Set once no more are to come: one that was cancelled would leave its connection open."""
    _since: float | None = field(default=None)

    async def come(self, connection: Connection) -> None:
        """Connects until it is over."""
        while not self.is_over:
            begun = time.monotonic()
            self._since = begun if self._since is None else self._since
            if await _is_greeted(connection):
                self.greeted += 1
                self.longest = max(self.longest, time.monotonic() - self._since)
                self._since = None
            else:
                self.refused += 1
            await asyncio.sleep(0.02)


async def _is_greeted(connection: Connection) -> bool:
    try:
        reader, writer = await asyncio.open_connection(connection.host, connection.port)
    except ConnectionError:
        return False
    try:
        return (await reader.readline()).startswith(BANNER)
    except ConnectionError:
        return False
    finally:
        writer.transport.abort()


@asynccontextmanager
async def newcomers(connection: Connection) -> AsyncIterator[Newcomers]:
    """Clients come while the context lasts."""
    counted = Newcomers()
    coming = asyncio.create_task(counted.come(connection))
    try:
        yield counted
    finally:
        counted.is_over = True
        async with asyncio.timeout(PATIENCE):
            await coming


@asynccontextmanager
async def echo_server() -> AsyncIterator[int]:
    """A port of this machine that echoes lines."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(line)
        finally:
            writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
