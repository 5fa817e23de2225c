"""The control socket of a gateway: a Unix socket in the agent's state directory, for its user and root alone."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct

from host_agent.gateway.documents import MOST_BYTES, HandOver, Request, Taken, encode

ENDING: Final = ".sock"
CREDENTIALS: Final = struct.Struct("iII")
"""Of a peer: its process, user and group."""
SILENT_SECONDS: Final = 30.0
"""Time for a request, or for the newer process to serve what it was handed."""
BACKLOG: Final = 16

log = structlog.get_logger(__name__)

Answer = Callable[[Request | Taken], Awaitable[tuple[Struct, Sequence[int]]]]
"""Does what a request asks; returns the answer and the descriptors that go with it."""


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Process and user at the other end; of a listener's clients, those that listened."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, user, _ = CREDENTIALS.unpack(told)
    return int(pid), int(user)


@contextmanager
def short_path(directory: Path, name: str) -> Iterator[str]:
    """A path of a socket that is short enough for the kernel, however long the directory's is."""
    descriptor = os.open(directory, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)


class ControlSocket:
    """A listening control socket, under a name in a directory."""

    def __init__(self, directory: Path, listing: str) -> None:
        """Listens without a name that anyone would look for. OSError."""
        self._directory = directory
        self._listing = listing
        self._path = directory / f"{listing}.{os.getpid()}.new"
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        with short_path(directory, self._path.name) as path:
            self._socket.bind(path)
        self._path.chmod(0o600)
        self._inode = self._path.stat().st_ino
        self._socket.listen(BACKLOG)
        self._open: set[asyncio.Task[None]] = set()

    @property
    def is_found(self) -> bool:
        """False once its name is gone or another's: nobody could end it."""
        try:
            return self._path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def be_current(self) -> None:
        """Takes the listing's name, in place of an earlier process."""
        self._path = self._path.rename(self._directory / f"{self._listing}{ENDING}")

    def be_former(self) -> None:
        """Takes a name beside the listing's, which a newer process is about to have."""
        former = self._directory / f"{self._listing}.{os.getpid()}{ENDING}"
        # Both names for a moment: an agent that looks meanwhile finds one that serves.
        os.link(self._path, former)
        self._path = former

    async def serve(self, answer: Answer) -> None:
        """Answers until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(self._socket)
            task = asyncio.create_task(self._attend(connection, answer))
            self._open.add(task)
            task.add_done_callback(self._open.discard)

    async def close(self) -> None:
        """Answers what is under way, and gives the name up."""
        if self.is_found:
            self._path.unlink()
        self._socket.close()
        if self._open:
            await asyncio.wait(self._open, timeout=SILENT_SECONDS)

    async def _attend(self, connection: socket.socket, answer: Answer) -> None:
        try:
            with connection:
                connection.setblocking(False)
                _, user = peer_of(connection)
                if user not in (0, os.geteuid()):
                    log.warning("control_refused", user=user)
                    return
                if isinstance(await self._answer(connection, answer), HandOver):
                    await self._answer(connection, answer, expected=Taken)
        except (OSError, TimeoutError, msgspec.MsgspecError) as error:
            log.warning("control_failed", error=str(error))

    async def _answer(self, connection: socket.socket, answer: Answer, expected: Any = Request) -> Request | Taken:
        async with asyncio.timeout(SILENT_SECONDS):
            said = await asyncio.get_running_loop().sock_recv(connection, MOST_BYTES)
        request: Request | Taken = msgspec.json.decode(said, type=expected)
        reply, descriptors = await answer(request)
        socket.send_fds(connection, [encode(reply)], descriptors)
        return request
