"""Ports of a tenant's container, forwarded by SSH in both directions.

The agent opens no socket for it: a small program in the container connects or listens there, on its loopback interface,
so neither the host nor other containers can be reached.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from importlib.resources import files
from typing import Any, Final

import asyncssh
import structlog
from asyncssh.stream import SSHTCPStreamSession

from host_agent.errors import MachineFault
from host_agent.ssh.inside import Inside, InsideProcess

SELF: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The container's names for a client."""
MOST_FORWARDED: Final = 64
"""Maximum concurrent connections and listeners of one SSH connection."""
LAST_PORT: Final = 65_535
CHUNK: Final = 65_536
MOST_SAID: Final = 4_096
NO_TOOL: Final = "the image needs perl or python3 for it"
CONNECTED: Final = re.compile(rb"\+")
LISTENING: Final = re.compile(rb"\+ (\d{1,5})")
ALL_OF_IT: Final = re.compile(rb"(\d{1,19}) bytes")
ARRIVED: Final = re.compile(rb"(/tmp/\.forwarded-\w{1,32}) (\d{1,10}) (\d{1,10})")

Streams = tuple["asyncssh.SSHReader[bytes]", "asyncssh.SSHWriter[bytes]"]
log = structlog.get_logger(__name__)


def _script(name: str) -> list[str]:
    return ["/bin/sh", "-c", files(__package__).joinpath(name).read_text("utf-8"), "sh"]


CONNECT: Final = _script("connect.sh")
LISTEN: Final = _script("listen.sh")
MEET: Final = _script("meet.sh")
LEAVE: Final = _script("leave.sh")


class Forwarding:
    """Forwarded connections and listeners of one SSH connection; `close` ends all of them.

    `everywhere` holds the tasks of all connections until their cleanup in the container is done.
    """

    def __init__(
        self,
        inside: Inside,
        connection: asyncssh.SSHServerConnection,
        everywhere: set[asyncio.Task[None]],
    ) -> None:
        self._inside = inside
        self._connection = connection
        self._everywhere = everywhere
        self._tasks: set[asyncio.Task[None]] = set()

    async def connect(self, host: str, port: int) -> asyncssh.SSHTCPSession[bytes]:
        """A session with a port of the container. ChannelOpenError with the reason."""
        if host.lower() not in SELF or not 0 < port <= LAST_PORT:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED,
                f"only ports of the container itself are forwarded: localhost, not {host}:{port}",
            )
        self._require_room()
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        streams: asyncio.Future[Streams] = loop.create_future()
        self._start(self._carry_out(port, ready, streams))
        await ready
        return SSHTCPStreamSession[bytes](lambda reader, writer: streams.set_result((reader, writer)))

    async def listen(self, host: str, port: int) -> asyncssh.SSHListener | None:
        """A listener on the container's loopback interface, regardless of the requested address; None if it fails."""
        try:
            self._require_room()
            if not 0 <= port <= LAST_PORT:
                return None
            ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            task = self._start(self._listen(host, port, ready))
            return _Listener(task, await ready)
        except asyncssh.ChannelOpenError as error:
            log.info("ssh_listener_refused", port=port, reason=error.reason)
            return None

    def close(self) -> None:
        """Ends every connection and listener."""
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        self._everywhere.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._everywhere.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("ssh_forward_failed", error=str(error))

    def _require_room(self) -> None:
        if len(self._tasks) >= MOST_FORWARDED:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_RESOURCE_SHORTAGE, f"{MOST_FORWARDED} ports are forwarded already"
            )

    async def _carry_out(self, port: int, ready: asyncio.Future[None], streams: asyncio.Future[Streams]) -> None:
        """From the client to a port of the container."""
        try:
            async with self._inside.process([*CONNECT, str(port)]) as process:
                await _first(process, CONNECTED, f"nothing listens at port {port} of the container, or {NO_TOOL}")
                ready.set_result(None)
                await _carry(process, *await streams)
        except (asyncssh.ChannelOpenError, MachineFault) as error:
            _refuse(ready, error)

    async def _listen(self, host: str, port: int, ready: asyncio.Future[int]) -> None:
        try:
            async with self._inside.process([*LISTEN, str(port)]) as process:
                said = await _first(process, LISTENING, f"port {port} of the container is unavailable, or {NO_TOOL}")
                listening = int(said[1])
                ready.set_result(listening)
                lines = _Lines(process)
                while (line := await lines.next()) is not None:
                    arrived = ARRIVED.fullmatch(line)
                    if arrived is not None and len(self._tasks) < MOST_FORWARDED:
                        where = [part.decode() for part in arrived.groups()]
                        self._start(self._carry_in(host, listening, where))
        except (asyncssh.ChannelOpenError, MachineFault) as error:
            _refuse(ready, error)

    async def _carry_in(self, host: str, port: int, where: list[str]) -> None:
        """Bytes from a connection in the container to the client."""
        try:
            # The client first: where it refuses, the one in the container is hung up on at once.
            reader, writer = await self._connection.open_connection(host, port, "127.0.0.1", 0, encoding=None)
            async with self._inside.process([*MEET, where[0]]) as process:
                await _carry(process, reader, writer)
        except (asyncssh.ChannelOpenError, MachineFault) as error:
            log.info("ssh_forward_refused", port=port, error=str(error))
        finally:
            await self._leave(where)

    async def _leave(self, where: list[str]) -> None:
        try:
            async with self._inside.process([*LEAVE, *where]) as process:
                while await process.read() is not None:
                    pass
        except MachineFault as error:
            log.debug("container_gone", error=error.message)


class _Listener(asyncssh.SSHListener):
    def __init__(self, task: asyncio.Task[None], port: int) -> None:
        super().__init__()
        self._task = task
        self._port = port

    def get_port(self) -> int:
        return self._port

    def close(self) -> None:
        self._task.cancel()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._task])


class _Lines:
    """Lines of a process's standard error; ones that are too long are cut."""

    def __init__(self, process: InsideProcess) -> None:
        self._process = process
        self._rest = b""

    async def next(self) -> bytes | None:
        while b"\n" not in self._rest:
            said = await self._process.read()
            if said is None:
                return None
            if said.is_error:
                self._rest = (self._rest + said.data)[:MOST_SAID]
        line, _, self._rest = self._rest.partition(b"\n")
        return line


async def _first(process: InsideProcess, wanted: re.Pattern[bytes], otherwise: str) -> re.Match[bytes]:
    """The first line that is as wanted. ChannelOpenError if the process ends without it."""
    lines = _Lines(process)
    while (line := await lines.next()) is not None:
        if (found := wanted.fullmatch(line)) is not None:
            return found
    raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, otherwise)


async def _carry(process: InsideProcess, reader: asyncssh.SSHReader[bytes], writer: asyncssh.SSHWriter[bytes]) -> None:
    """Relays both sides' data, until the process ends or the client is gone."""
    tasks = [
        asyncio.create_task(_give(process, reader)),
        asyncio.create_task(_take(process, writer)),
        asyncio.create_task(writer.channel.wait_closed()),
    ]
    try:
        # Not the first: a client that has no more to send may still read.
        await asyncio.wait(tasks[1:], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        writer.close()


async def _give(process: InsideProcess, reader: asyncssh.SSHReader[bytes]) -> None:
    while data := await reader.read(CHUNK):
        await process.write(data)
    process.end_input()


async def _take(process: InsideProcess, writer: asyncssh.SSHWriter[bytes]) -> None:
    """Relays output, and its end once the byte count of meet.sh is reached."""
    taken = 0
    said_last = b""
    while (said := await process.read()) is not None:
        if said.is_error:
            said_last = (said_last + said.data)[-MOST_SAID:]
        else:
            taken += len(said.data)
            writer.write(said.data)
            await writer.drain()
        told = ALL_OF_IT.search(said_last)
        # Docker reports no end of one output alone, and its two come in no order: only the count shows it.
        if told is not None and int(told[1]) == taken:
            writer.write_eof()
            said_last = b""


def _refuse(ready: asyncio.Future[Any], error: asyncssh.ChannelOpenError | MachineFault) -> None:
    """Notifies the waiting client, if there is one."""
    if ready.done():
        log.debug("ssh_forward_ended", error=str(error))
    elif isinstance(error, MachineFault):
        ready.set_exception(asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, error.message))
    else:
        ready.set_exception(error)
