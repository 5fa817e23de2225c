"""A tenant's container in name only: processes of this machine, for tests that need no engine."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncssh
import structlog

from host_agent.ssh.inside import Said

CHUNK = 65_536
log = structlog.get_logger(__name__)


class ProcessInside:
    """Runs everything in one folder. `path` is what PATH is there."""

    def __init__(self, folder: Path, path: str | None = None) -> None:
        self.folder = folder
        self.printed: list[bytes] = []
        self.more = asyncio.Event()
        self.running: set[int] = set()
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
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.folder,
            env=self.environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        self.running.add(process.pid)
        self.idle.clear()
        local = LocalProcess(process)
        try:
            yield local
        finally:
            await asyncio.shield(self._end(process, local))

    async def _end(self, process: Process, local: LocalProcess) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await local.close()
        self.running.discard(process.pid)
        if not self.running:
            self.idle.set()

    @asynccontextmanager
    async def terminal(self, columns: int, rows: int) -> AsyncIterator[LocalTerminal]:
        """Runs a shell with a terminal, and hangs up at the end."""
        ours, theirs = os.openpty()
        terminal = LocalTerminal(ours)
        await terminal.resize(columns, rows)
        process = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", 'exec 0<>"$0" 1>&0 2>&0; exec sh -i', os.ttyname(theirs)),
            cwd=self.folder,
            env=self.environment | {"PS1": "> "},
            stdin=theirs,  # until the shell has opened it: with nobody at the other end it counts as closed
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.running.add(process.pid)
        self.idle.clear()
        try:
            terminal.process = process
            yield terminal
        finally:
            terminal.hang_up()
            await asyncio.shield(process.wait())
            self.running.discard(process.pid)
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


class LocalTerminal:
    """A shell of this machine, which has a terminal of its own."""

    def __init__(self, ours: int) -> None:
        self.process: Process | None = None
        self._ours = ours
        self._printed: asyncio.Queue[bytes | None] = asyncio.Queue()
        asyncio.get_running_loop().add_reader(ours, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._ours, CHUNK)
        except OSError:  # the last who had the other end has closed it
            data = b""
        self._printed.put_nowait(data or None)
        if not data:
            asyncio.get_running_loop().remove_reader(self._ours)

    async def read(self) -> bytes | None:
        """The next output; None at its end."""
        return await self._printed.get()

    async def write(self, data: bytes) -> None:
        """Types."""
        os.write(self._ours, data)

    async def resize(self, columns: int, rows: int) -> None:
        """Says how large it is."""
        termios.tcsetwinsize(self._ours, (rows, columns))

    async def exit_code(self) -> int:
        """Exit code of the shell, once it has ended."""
        assert self.process is not None
        return await self.process.wait()

    def hang_up(self) -> None:
        """Closes this end."""
        asyncio.get_running_loop().remove_reader(self._ours)
        os.close(self._ours)
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


class LocalProcess:
    """A process of this machine."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._said: asyncio.Queue[Said | None] = asyncio.Queue(maxsize=4)
        self._readers = asyncio.gather(self._read(process.stdout, False), self._read(process.stderr, True))
        self._end = asyncio.create_task(self._finish())

    async def _read(self, stream: asyncio.StreamReader | None, is_error: bool) -> None:
        assert stream is not None
        while data := await stream.read(CHUNK):
            await self._said.put(Said(is_error, data))

    async def _finish(self) -> None:
        await self._readers
        await self._process.wait()
        await self._said.put(None)

    async def read(self) -> Said | None:
        """The next output; None at its end."""
        return await self._said.get()

    async def write(self, data: bytes) -> None:
        """Gives it input."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    def end_input(self) -> None:
        """Closes its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def exit_code(self) -> int:
        """Exit code of the process, once it has ended."""
        return await self._process.wait()

    async def close(self) -> None:
        """Ends the readers."""
        self._readers.cancel()
        self._end.cancel()
        await asyncio.gather(self._readers, self._end, return_exceptions=True)
        self.end_input()


async def _type(session: asyncssh.SSHServerProcess[bytes], process: LocalProcess) -> None:
    try:
        while data := await session.stdin.read(CHUNK):
            await process.write(data)
    except ConnectionError as error:
        log.debug("client_gone", error=str(error))
    finally:
        process.end_input()
