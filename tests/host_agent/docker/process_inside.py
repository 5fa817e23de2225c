"""A tenant's container in name only: processes of this machine, for tests that need no engine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncssh
import structlog

from local_market.machine.own import TAKE_TERMINAL
from local_market.machine.processes import LocalProcess, LocalTerminal

CHUNK = 65_536
log = structlog.get_logger(__name__)


class ProcessInside:
    """Runs everything in one folder. `path` is what PATH is there."""

    def __init__(self, folder: Path, path: str | None = None) -> None:
        self.folder = folder
        self.printed: list[bytes] = []
        self.more = asyncio.Event()
        self.running = 0
        self.idle = asyncio.Event()
        self.environment = {**os.environ, **({} if path is None else {"PATH": path})}

    async def serve(self, session: asyncssh.SSHServerProcess[bytes]) -> None:
        """Runs a session's command."""
        async with self.process(["/bin/sh", "-c", session.command or "exec sh"]) as process:
            typing = asyncio.create_task(_type(session, process))
            while (said := await process.read()) is not None:
                out = session.stderr if said.is_error else session.stdout
                out.write(said.data)
                await out.drain()
            typing.cancel()
            session.exit(await process.exit_code())

    @asynccontextmanager
    async def process(self, command: Sequence[str]) -> AsyncIterator[LocalProcess]:
        """Runs a command in a process group of its own, which is killed at the end, also if one is cancelled twice."""
        with self._counted():
            async with LocalProcess.opened(self._here(command), environment=self.environment) as process:
                yield process

    @asynccontextmanager
    async def terminal(self, columns: int, rows: int) -> AsyncIterator[LocalTerminal]:
        """Runs a shell with a terminal, and hangs up at the end."""
        environment = self.environment | {"PS1": "> "}
        words = ("/bin/sh", "-c", TAKE_TERMINAL)
        with self._counted():
            async with LocalTerminal.opened(
                lambda tty: [*words, tty, *self._here(["sh", "-i"])], columns, rows, environment=environment
            ) as terminal:
                yield terminal

    def _here(self, command: Sequence[str]) -> list[str]:
        return ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(self.folder), *command]

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self.running += 1
        self.idle.clear()
        try:
            yield
        finally:
            self.running -= 1
            if not self.running:
                self.idle.set()

    async def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Lines that the test has put into `printed`."""
        told = 0 if tail is None else max(0, len(self.printed) - tail)
        while True:
            for line in self.printed[told:]:
                told += 1
                yield line
            if not follow:
                return
            self.more.clear()
            await self.more.wait()


async def _type(session: asyncssh.SSHServerProcess[bytes], process: LocalProcess) -> None:
    try:
        while data := await session.stdin.read(CHUNK):
            await process.write(data)
    except ConnectionError as error:
        log.debug("client_gone", error=str(error))
    finally:
        process.end_input()
