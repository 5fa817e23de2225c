"""A service manager's socket, as systemd gives one to services of Type=notify."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

READY, STOPPING, BEAT = "READY=1", "STOPPING=1", "WATCHDOG=1"
START_SECONDS = 240.0
"""Plenty for a service to start, and to answer, however busy the machine is."""


class ServiceManager:
    """Hears what services tell. `address` is what they are given as $NOTIFY_SOCKET."""

    def __init__(self, address: str, listener: socket.socket) -> None:
        self.address = address
        self._socket = listener

    def environment(self, watchdog_seconds: float) -> dict[str, str]:
        """Variables that systemd adds to a service's environment."""
        return {"NOTIFY_SOCKET": self.address, "WATCHDOG_USEC": str(int(watchdog_seconds * 1_000_000))}

    async def next(self) -> str:
        """The next that is told."""
        return (await asyncio.get_running_loop().sock_recv(self._socket, 4_096)).decode()

    async def heard(self, state: str, seconds: float = START_SECONDS) -> None:
        """Waits until something is told again; what else is told meanwhile is passed over."""
        async with asyncio.timeout(seconds):
            while await self.next() != state:
                pass

    def told(self) -> list[str]:
        """Notifications that have come and were not read yet."""
        found = []
        while True:
            try:
                found.append(self._socket.recv(4_096).decode())
            except BlockingIOError:
                return found


@contextmanager
def service_manager(folder: Path, *, abstract: bool = False) -> Iterator[ServiceManager]:
    """A socket in a folder, or one without a file."""
    address = f"@gpu-market-{os.getpid()}-{folder.name}" if abstract else str(folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.setblocking(False)
        listener.bind("\0" + address[1:] if abstract else address)
        yield ServiceManager(address, listener)


@asynccontextmanager
async def process(*command: str, environment: dict[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """A service under the manager; killed at the end of the block if it has not ended by then."""
    started = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()
