"""Processes of this computer as the SSH server and the terminal for browsers take them."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

from host_agent.errors import MachineFault
from host_agent.ssh.inside import Said

CHUNK: Final = 65_536
SIGNALLED: Final = 128
AWAITED: Final = 4
"""Parts of output that are read ahead of who takes them."""


class LocalProcess:
    """A process in a separate process group."""

    def __init__(self, process: Process) -> None:
        self.group = process.pid
        self._process = process
        self._said: asyncio.Queue[Said | None] = asyncio.Queue(maxsize=AWAITED)
        self._readers = asyncio.gather(self._read(process.stdout, False), self._read(process.stderr, True))
        self._end = asyncio.create_task(self._finish())

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, command: Sequence[str], *, ends: bool = True, environment: Mapping[str, str] | None = None
    ) -> AsyncIterator[Self]:
        """Runs a command. With `ends`, leaving the context kills its group. MachineFault if it cannot be run."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command, env=environment, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            raise MachineFault(f"{command[0]} cannot be run: {error.strerror}") from error
        local = cls(process)
        try:
            yield local
        finally:
            # Whole also if the task is cancelled once more meanwhile.
            await asyncio.shield(local._leave(ends))

    async def read(self) -> Said | None:
        """Next part of its output; None once it has ended."""
        return await self._said.get()

    async def write(self, data: bytes) -> None:
        """Writes to its input, at its own speed; what it no longer reads is dropped."""
        assert self._process.stdin is not None
        with suppress(ConnectionError):
            self._process.stdin.write(data)
            await self._process.stdin.drain()

    def end_input(self) -> None:
        """Closes its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def exit_code(self) -> int:
        """Exit code of the process, as a shell reports it."""
        return shell_code(await self._process.wait())

    async def _read(self, stream: asyncio.StreamReader | None, is_error: bool) -> None:
        assert stream is not None
        while data := await stream.read(CHUNK):
            await self._said.put(Said(is_error, data))

    async def _finish(self) -> None:
        await self._readers
        await self._process.wait()
        await self._said.put(None)

    async def _leave(self, ends: bool) -> None:
        if ends:
            kill_group(self._process.pid, signal.SIGKILL)
        self._readers.cancel()
        self._end.cancel()
        await asyncio.gather(self._readers, self._end, return_exceptions=True)
        self.end_input()
        # First: with output that nobody takes any more it would never count as ended.
        self._process._transport.close()  # type: ignore[attr-defined]  # the library has no public way
        if ends:
            await self._process.wait()


class LocalTerminal:
    """A program on a separate terminal."""

    def __init__(self, ours: int) -> None:
        self._ours = ours
        self._process: Process | None = None
        self._printed: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._end: asyncio.Task[None] | None = None
        os.set_blocking(ours, False)
        asyncio.get_running_loop().add_reader(ours, self._read)

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        command: Callable[[str], Sequence[str]],
        columns: int,
        rows: int,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Self]:
        """Runs the command for a terminal's path, which has to make it its own; leaving the context hangs up.
        MachineFault if it cannot be run.
        """
        ours, theirs = os.openpty()
        terminal = cls(ours)
        try:
            await terminal.resize(columns, rows)
            terminal._process = await asyncio.create_subprocess_exec(
                *command(os.ttyname(theirs)),
                env=environment,
                stdin=theirs,  # until the program has opened it: with nobody at the other end it counts as closed
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        except OSError as error:
            os.close(theirs)
            terminal._close()
            raise MachineFault(f"A terminal cannot be opened: {error.strerror}") from error
        os.close(theirs)
        terminal._end = asyncio.create_task(terminal._await_end())
        try:
            yield terminal
        finally:
            await asyncio.shield(terminal._hang_up())

    @property
    def group(self) -> int:
        """Number of its process group."""
        assert self._process is not None
        return self._process.pid

    async def read(self) -> bytes | None:
        """Next part of its output; None once it has ended."""
        return await self._printed.get()

    async def write(self, data: bytes) -> None:
        """Types, at the speed of the program that reads."""
        while data:
            try:
                data = data[os.write(self._ours, data) :]
            except BlockingIOError:
                await asyncio.sleep(0.01)
            except OSError:  # the program has ended
                return

    async def resize(self, columns: int, rows: int) -> None:
        """Sets the terminal's size."""
        termios.tcsetwinsize(self._ours, (rows, columns))

    async def exit_code(self) -> int:
        """Exit code of the program, as a shell reports it."""
        assert self._process is not None
        return shell_code(await self._process.wait())

    def _read(self) -> None:
        try:
            data = os.read(self._ours, CHUNK)
        except BlockingIOError:
            return
        except OSError:  # the last who had the other end has closed it
            data = b""
        self._printed.put_nowait(data or None)
        if not data:
            asyncio.get_running_loop().remove_reader(self._ours)

    async def _await_end(self) -> None:
        """Ends the output with the program: others that it leaves running may keep the terminal open."""
        await self.exit_code()
        self._read()
        self._printed.put_nowait(None)

    async def _hang_up(self) -> None:
        assert self._process is not None and self._end is not None
        self._end.cancel()
        await asyncio.gather(self._end, return_exceptions=True)
        self._close()
        kill_group(self._process.pid, signal.SIGHUP)
        kill_group(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    def _close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._ours)
        os.close(self._ours)


def shell_code(code: int) -> int:
    """The exit code by which a shell reports a process that ended by itself or by a signal."""
    return code if code >= 0 else SIGNALLED - code


def kill_group(leader: int, kind: signal.Signals) -> None:
    """Signals a process group, if it still runs."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, kind)
