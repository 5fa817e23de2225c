"""A tenant's programs, for the SSH server and the terminal for browsers."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from asyncssh import BreakReceived, SignalReceived, SSHServerProcess, TerminalSizeChanged

from host_agent.errors import MachineFault
from host_agent.ssh.forwarding import CONNECT
from host_agent.ssh.inside import CANNOT_RUN, LOGIN_SHELL, TERMINAL_KIND, InsideTerminal
from host_agent.web.relay import Streams
from local_market.machine.processes import CHUNK, LocalProcess, LocalTerminal, kill_group, shell_code

FOLLOW_SECONDS: Final = 0.2
MOST_READ: Final = 2**24
"""Maximum bytes of output that are read back; the beginning of a longer one is left out."""
CONNECTED: Final = b"+\n"
END_OF_FILE: Final = b"\x04"


class Place(Protocol):
    """Place in which a tenant's programs run."""

    @property
    def note(self) -> str:
        """The place in words."""

    async def start(self) -> None:
        """Makes it. NoSandbox."""

    async def close(self) -> None:
        """Ends it with all its programs."""

    def command(self, words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command line that runs a program there."""

    def terminal(self, words: Sequence[str], environment: Mapping[str, str], tty: str) -> list[str]:
        """The same with a terminal."""


class LocalInside:
    """Programs in a place on this computer; `log` has the output of the order's command."""

    def __init__(self, place: Place, log: Path, environment: Mapping[str, str]) -> None:
        self._place = place
        self._log = log
        self._environment = environment
        self._groups: set[int] = set()
        self._awaited: list[Process] = []
        """The order's command, and what carries connections: nobody else sees to their end."""
        self._order: asyncio.Task[int] | None = None

    def run_order(self, command: str) -> asyncio.Task[int]:
        """Starts the order's command; the task returns its exit code."""
        self._order = asyncio.create_task(self._run_order(command))
        return self._order

    async def close(self) -> None:
        """Ends every program."""
        if self._order is not None:
            self._order.cancel()
            await asyncio.gather(self._order, return_exceptions=True)
        for group in self._groups:
            kill_group(group, signal.SIGKILL)
        for process in self._awaited:
            await process.wait()
        await self._place.close()

    async def serve(self, session: SSHServerProcess[bytes]) -> None:
        """Runs a session's command, or a login shell, to its end and passes its exit code on."""
        words = ["/bin/sh", "-c", session.command or LOGIN_SHELL]
        try:
            if session.term_type is None:
                session.exit(await self._serve_process(session, words))
            else:
                session.exit(await self._serve_terminal(session, words, session.term_type))
        except MachineFault as error:
            session.stderr.write(f"{error.message}\r\n".encode())
            session.exit(CANNOT_RUN)

    def process(self, command: Sequence[str]) -> AbstractAsyncContextManager[LocalProcess]:
        """Runs a command; leaving the context ends it. MachineFault."""
        return self._process(command, ends=True)

    def terminal(self, columns: int, rows: int) -> AbstractAsyncContextManager[LocalTerminal]:
        """Runs a login shell; leaving the context hangs up. MachineFault."""
        return self._terminal(["/bin/sh", "-c", LOGIN_SHELL], columns, rows, TERMINAL_KIND)

    async def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Output of the order's command: its last `tail` lines, and with `follow` its new output."""
        with self._log.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - MOST_READ))
            printed = log.read()
            yield b"".join(printed.splitlines(keepends=True)[-tail:] if tail else []) if tail is not None else printed
            while follow:
                has_ended = self._order is None or self._order.done()
                if data := log.read(CHUNK):
                    yield data
                elif has_ended:
                    return
                else:
                    await asyncio.sleep(FOLLOW_SECONDS)

    async def checkpoint(self, command: str, seconds: float) -> None:
        """Runs the order's checkpoint command, for at most `seconds`; its output joins the log. MachineFault."""
        with self._log.open("ab") as log, suppress(TimeoutError):
            async with self.process(["/bin/sh", "-c", command]) as process, asyncio.timeout(seconds):
                process.end_input()
                while (said := await process.read()) is not None:
                    log.write(said.data)

    async def connect(self, port: int) -> Streams:
        """A connection to a port there, which has no address on this computer. MachineFault without a listener."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._place.command([*CONNECT, str(port)], self._environment),
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise MachineFault(f"Port {port} cannot be reached: {error.strerror}") from error
        self._watch(process)
        assert process.stderr is not None
        if await process.stderr.readline() != CONNECTED:
            ours.close()
            raise MachineFault(f"Nothing listens at port {port}")
        return await asyncio.open_connection(sock=ours)

    def _watch(self, process: Process) -> None:
        self._awaited = [each for each in self._awaited if each.returncode is None]
        self._awaited.append(process)
        self._groups.add(process.pid)

    @asynccontextmanager
    async def _process(self, words: Sequence[str], *, ends: bool) -> AsyncIterator[LocalProcess]:
        command = self._place.command(words, self._environment)
        async with LocalProcess.opened(command, ends=ends) as process:
            self._groups.add(process.group)
            yield process

    def _terminal(
        self, words: Sequence[str], columns: int, rows: int, kind: str
    ) -> AbstractAsyncContextManager[LocalTerminal]:
        environment = {**self._environment, "TERM": kind}
        return LocalTerminal.opened(lambda tty: self._place.terminal(words, environment, tty), columns, rows)

    async def _run_order(self, command: str) -> int:
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self._place.command(["/bin/sh", "-c", command], self._environment),
                stdin=DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._watch(process)
        return shell_code(await process.wait())

    async def _serve_process(self, session: SSHServerProcess[bytes], words: Sequence[str]) -> int:
        # What it leaves running outlives the session, as on any machine.
        async with self._process(words, ends=False) as process:
            typing = asyncio.create_task(_type(session, process))
            try:
                while (said := await process.read()) is not None:
                    out = session.stderr if said.is_error else session.stdout
                    out.write(said.data)
                    await out.drain()
                return await process.exit_code()
            finally:
                await _ended(typing)

    async def _serve_terminal(self, session: SSHServerProcess[bytes], words: Sequence[str], kind: str) -> int:
        columns, rows, *_ = session.term_size
        async with self._terminal(words, columns or 80, rows or 24, kind) as terminal:
            tasks = [
                asyncio.create_task(work) for work in (_type_terminal(session, terminal), _print(session, terminal))
            ]
            leaving = asyncio.create_task(session.wait_closed())
            try:
                await asyncio.wait([tasks[1], leaving], return_when=asyncio.FIRST_COMPLETED)
                return await terminal.exit_code() if tasks[1].done() else 0
            finally:
                for task in (*tasks, leaving):
                    await _ended(task)


async def _print(session: SSHServerProcess[bytes], terminal: InsideTerminal) -> None:
    while (data := await terminal.read()) is not None:
        session.stdout.write(data)
        await session.stdout.drain()


async def _type(session: SSHServerProcess[bytes], process: LocalProcess) -> None:
    while True:
        try:
            data = await session.stdin.read(CHUNK)
        except (BreakReceived, SignalReceived, TerminalSizeChanged):
            continue
        if not data:
            process.end_input()
            return
        await process.write(data)


async def _type_terminal(session: SSHServerProcess[bytes], terminal: InsideTerminal) -> None:
    while True:
        try:
            data = await session.stdin.read(CHUNK)
        except TerminalSizeChanged as change:
            columns, rows, *_ = change.term_size
            await terminal.resize(columns, rows)
            continue
        except (BreakReceived, SignalReceived):
            continue
        await terminal.write(data or END_OF_FILE)
        if not data:
            return


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
