"""Runs the commands of SSH sessions in a container."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from aiodocker import DockerError
from aiodocker.containers import DockerContainer
from aiodocker.execs import Exec
from aiodocker.stream import Stream
from aiohttp import ClientError
from asyncssh import BreakReceived, SignalReceived, SSHServerProcess, TerminalSizeChanged

CHUNK: Final = 32_768
STDERR: Final = 2
END_OF_FILE: Final = b"\x04"
"""Ends a terminal's input; closing the engine's end would close its output as well."""
CANNOT_RUN: Final = 126
LOGIN_SHELL: Final = "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi"


class ContainerShell:
    """Serves SSH sessions with processes in a container; each sees the container's own environment."""

    def __init__(self, container: DockerContainer) -> None:
        self._container = container

    async def serve(self, session: SSHServerProcess[bytes]) -> None:
        """Runs a session's command, or a login shell, to its end and passes its exit code on."""
        try:
            session.exit(await self._run(session))
        except (DockerError, ClientError, OSError) as error:
            session.stderr.write(f"The container cannot be entered: {error}\r\n".encode())
            session.exit(CANNOT_RUN)

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


def _command(given: str | None) -> Sequence[str]:
    return ["/bin/sh", "-c", LOGIN_SHELL if given is None else given]


async def _type(session: SSHServerProcess[bytes], running: Exec, stream: Stream) -> None:
    """Passes on what the renter sends, until they close their end."""
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
    transport = None if response is None or response.connection is None else response.connection.transport
    if transport is not None and transport.can_write_eof():
        transport.write_eof()
