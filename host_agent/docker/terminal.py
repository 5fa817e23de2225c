"""A login shell with a terminal in a container, for access without SSH."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from aiodocker.containers import DockerContainer
from aiodocker.execs import Exec
from aiodocker.stream import Stream

from host_agent.docker.entering import entering
from host_agent.errors import MachineFault
from host_agent.ssh.inside import CANNOT_RUN, LOGIN_SHELL, TERMINAL_KIND

NAMED: Final = ("/bin/sh", "-c", f"echo $$; {LOGIN_SHELL}")
"""First prints its process number, for a hang-up."""
FIRST: Final = re.compile(rb"(\d{1,10})\r?\n")
MOST_FIRST: Final = 12
HANG_UP: Final = ("/bin/sh", "-c", 'kill -HUP -"$1"', "sh")


class ContainerTerminal:
    """A login shell; leaving the context hangs up."""

    def __init__(self, container: DockerContainer, running: Exec, stream: Stream) -> None:
        self._container = container
        self._running = running
        self._stream = stream
        self._number: str | None = None
        self._said = b""
        self._has_ended = False

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, container: DockerContainer, columns: int, rows: int, greeting: bytes = b""
    ) -> AsyncIterator[ContainerTerminal]:
        """Starts the shell, whose output begins with `greeting`. MachineFault."""
        with entering():
            running = await container.exec(NAMED, stdin=True, tty=True, environment={"TERM": TERMINAL_KIND})
            stream = running.start(detach=False)
            await stream.__aenter__()
        terminal = cls(container, running, stream)
        try:
            await terminal.resize(columns, rows)
            await terminal._begin()
            terminal._said = greeting + terminal._said
            yield terminal
        finally:
            # Also when the connection's task is cancelled: what the shell runs would outlive it.
            await asyncio.shield(terminal._hang_up())

    async def read(self) -> bytes | None:
        """Next part of its output; None once it has ended."""
        if self._said:
            said = self._said
            self._said = b""
            return said
        with entering():
            message = await self._stream.read_out()
        if message is None:
            self._has_ended = True
            return None
        return bytes(message.data)

    async def write(self, data: bytes) -> None:
        """Types."""
        with entering():
            await self._stream.write_in(data)

    async def resize(self, columns: int, rows: int) -> None:
        """Sets the terminal's size."""
        with entering():
            await self._running.resize(w=columns, h=rows)

    async def exit_code(self) -> int:
        """Exit code of the shell."""
        with entering():
            code = (await self._running.inspect())["ExitCode"]
        return CANNOT_RUN if code is None else int(code)

    async def _begin(self) -> None:
        """Reads the shell's number before any input, which the terminal would echo first."""
        first = b""
        while (said := FIRST.match(first)) is None:
            more = await self.read()
            if more is None or len(first) > MOST_FIRST:
                raise MachineFault("The shell in the container did not start as expected")
            first += more
        self._number = said[1].decode()
        self._said = first[said.end() :]

    async def _hang_up(self) -> None:
        with entering():
            await self._stream.close()
            if not self._has_ended and self._number is not None:
                # To the whole process group, as from a terminal that is closed.
                command = [*HANG_UP, self._number]
                await (await self._container.exec(command, stdin=False)).start(detach=True)
