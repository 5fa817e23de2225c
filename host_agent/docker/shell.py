"""Processes in a container, for SSH and the browser terminal."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from aiodocker.containers import DockerContainer
from aiodocker.execs import Exec
from aiodocker.stream import Stream
from asyncssh import BreakReceived, SignalReceived, SSHServerProcess, TerminalSizeChanged

from host_agent.docker.entering import entering
from host_agent.docker.terminal import ContainerTerminal
from host_agent.errors import MachineFault
from host_agent.ssh.inside import CANNOT_RUN, LOGIN_SHELL, Said

CHUNK: Final = 32_768
STDERR: Final = 2
END_OF_FILE: Final = b"\x04"
"""Ends a terminal's input; closing the engine's end would close its output as well."""
NAMED: Final = ("/bin/sh", "-c", 'echo $$ >&2; exec "$@"', "sh")
"""Runs a command that first prints the number of its process group, to end it later."""
MOST_DIGITS: Final = 10


class ContainerShell:
    """The inside of a container; each process there sees the container's own environment.

    `closed` returns the reason for refusing access, or nothing. `greeting` returns what a login shell with a terminal
    prints first.
    """

    def __init__(
        self,
        container: DockerContainer,
        closed: Callable[[], str | None] = lambda: None,
        greeting: Callable[[], bytes] = lambda: b"",
    ) -> None:
        self._container = container
        self._closed = closed
        self._greeting = greeting

    async def serve(self, session: SSHServerProcess[bytes]) -> None:
        """Runs a session's command, or a login shell, to its end and passes its exit code on."""
        try:
            self._require_open()
            with entering():
                session.exit(await self._run(session))
        except MachineFault as error:
            session.stderr.write(f"{error.message}\r\n".encode())
            session.exit(CANNOT_RUN)

    @asynccontextmanager
    async def process(self, command: Sequence[str]) -> AsyncIterator[ContainerProcess]:
        """Runs a command in the shell's start directory; leaving the context ends it. MachineFault."""
        self._require_open()
        with entering():
            running = await self._container.exec([*NAMED, *command], stdin=True, tty=False)
            stream = running.start(detach=False)
            await stream.__aenter__()
        process = ContainerProcess(stream)
        try:
            yield process
        finally:
            await asyncio.shield(self._end(process, stream))

    def terminal(self, columns: int, rows: int) -> AbstractAsyncContextManager[ContainerTerminal]:
        """Runs a login shell; leaving the context hangs up. MachineFault."""
        self._require_open()
        return ContainerTerminal.opened(self._container, columns, rows, self._greeting())

    async def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Output of the container's command, as kept by the engine. MachineFault."""
        last = "all" if tail is None else str(tail)
        with entering():
            if not follow:
                for said in await self._container.log(stdout=True, stderr=True, tail=last):
                    yield said.encode()
                return
            async for said in self._container.log(stdout=True, stderr=True, follow=True, tail=last):
                yield said.encode()

    def _require_open(self) -> None:
        why = self._closed()
        if why is not None:
            raise MachineFault(why)

    async def _end(self, process: ContainerProcess, stream: Stream) -> None:
        with entering():
            await stream.close()
            if not process.has_ended and process.number is not None:
                kill = ["/bin/sh", "-c", 'kill -9 -"$1"', "sh", str(process.number)]
                await (await self._container.exec(kill, stdin=False)).start(detach=True)

    async def _run(self, session: SSHServerProcess[bytes]) -> int:
        terminal = session.term_type
        running = await self._container.exec(
            _command(session.command),
            stdin=True,
            tty=terminal is not None,
            environment=None if terminal is None else {"TERM": terminal},
        )
        async with running.start(detach=False) as stream:
            if terminal is not None:
                await _resize(running, session.term_size)
                if session.command is None:
                    session.stdout.write(self._greeting())
            typing = asyncio.create_task(_type(session, running, stream))
            try:
                while (message := await stream.read_out()) is not None:
                    out = session.stderr if message.stream == STDERR else session.stdout
                    out.write(message.data)
                    await out.drain()
            finally:
                typing.cancel()
                await asyncio.gather(typing, return_exceptions=True)
        code = (await running.inspect())["ExitCode"]
        return CANNOT_RUN if code is None else int(code)


class ContainerProcess:
    """A process in a container, without a terminal."""

    def __init__(self, stream: Stream) -> None:
        self.number: int | None = None
        """Its process number in the container, once it has printed it."""
        self.has_ended = False
        self._stream = stream
        self._first = b""
        self._early: deque[Said] = deque()
        """Output from before its number was known, not yet read."""

    async def begun(self) -> None:
        """Waits until it can be ended, or has exited."""
        while self.number is None and (said := await self._next()) is not None:
            self._early.append(said)

    async def read(self) -> Said | None:
        """Next part of its output; None once it has ended."""
        while (said := self._early.popleft() if self._early else await self._next()) is not None:
            if said.data:
                return said
        return None

    async def _next(self) -> Said | None:
        """The engine's next message, without the number; None once it has ended."""
        with entering():
            message = await self._stream.read_out()
        if message is None:
            self.has_ended = True
            return None
        is_error = message.stream == STDERR
        return Said(is_error, self._without_number(message.data) if is_error and self.number is None else message.data)

    async def write(self, data: bytes) -> None:
        """Writes to its input, at its own speed."""
        with entering():
            await self._stream.write_in(data)

    def end_input(self) -> None:
        """Closes its standard input."""
        _end_input(self._stream)

    def _without_number(self, data: bytes) -> bytes:
        """The rest of standard error after the line with the number."""
        self._first += data
        line, end, rest = self._first.partition(b"\n")
        if not end and len(line) <= MOST_DIGITS:
            return b""
        if not line.isdigit() or len(line) > MOST_DIGITS:
            raise MachineFault("A process in the container did not start as expected")
        self.number = int(line)
        return rest


def _command(given: str | None) -> Sequence[str]:
    return ["/bin/sh", "-c", LOGIN_SHELL if given is None else given]


async def _type(session: SSHServerProcess[bytes], running: Exec, stream: Stream) -> None:
    """Forwards the renter's input until they close their end."""
    while True:
        try:
            data = await session.stdin.read(CHUNK)
        except TerminalSizeChanged as change:
            await _resize(running, change.term_size)
            continue
        except (BreakReceived, SignalReceived):
            continue  # the engine can signal a container, not one command in it
        if data:
            await stream.write_in(data)
            continue
        if session.term_type is None:
            _end_input(stream)
        else:
            await stream.write_in(END_OF_FILE)
        return


async def _resize(running: Exec, size: tuple[int, int, int, int]) -> None:
    columns, rows, *_ = size
    if columns and rows:
        await running.resize(h=rows, w=columns)


def _end_input(stream: Stream) -> None:
    """Closes the engine's input only: the library's own close() would close the output as well."""
    response = stream._resp
    if response is None or response.connection is None:
        transport = None
    else:
        transport = response.connection.transport
    if transport is not None and transport.can_write_eof():
        transport.write_eof()
