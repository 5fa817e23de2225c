"""A few commands in place of a shell, on computers that have no namespaces to run programs in."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from asyncssh import SSHServerProcess, TerminalSizeChanged

from host_agent.errors import MachineFault
from host_agent.ssh.inside import InsideProcess
from host_agent.web.relay import Streams

CANNOT: Final = (
    "An emulated shell: this computer has no namespaces for programs. "
    "It knows echo, hostname, nvidia-smi, pwd and exit; "
    "`gpu-market up --shell` runs real programs, as you, on this computer"
)
UNKNOWN_COMMAND: Final = 127
END_OF_FILE: Final = b"\x04"
BACKSPACE: Final = b"\x7f"
INTERRUPT: Final = b"\x03"
PROMPT: Final = b"emulated$ "


class EmulatedInside:
    """Answers a few commands itself; `gpu` is what its nvidia-smi prints."""

    def __init__(self, name: str, gpu: str) -> None:
        self.name = name
        self.gpu = gpu

    async def close(self) -> None:
        """Nothing runs."""

    async def serve(self, session: SSHServerProcess[bytes]) -> None:
        """Answers a command, or the lines of a shell."""
        if session.command is not None:
            code, said = self.answer(session.command)
            session.stdout.write(said)
            session.exit(code)
            return
        async with self.terminal(80, 24) as terminal:
            printing = asyncio.create_task(_print(session, terminal))
            try:
                while not printing.done():
                    await terminal.write(await _typed(session))
                    await asyncio.sleep(0)
                session.exit(0)
            finally:
                printing.cancel()

    def answer(self, line: str) -> tuple[int, bytes]:
        """Exit code and output of a command line."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            return 2, f"{error}\n".encode()
        match words:
            case []:
                return 0, b""
            case ["echo", *rest]:
                return 0, f"{' '.join(rest)}\n".encode()
            case ["hostname"]:
                return 0, f"{self.name}\n".encode()
            case ["pwd"]:
                return 0, b"/workspace\n"
            case ["nvidia-smi", *_]:
                return 0, f"{self.gpu}\n".encode()
        return UNKNOWN_COMMAND, f"{CANNOT}.\n".encode()

    def process(self, command: Sequence[str]) -> AbstractAsyncContextManager[InsideProcess]:
        """MachineFault: files and ports need programs."""
        raise MachineFault(CANNOT)

    @asynccontextmanager
    async def terminal(self, columns: int, rows: int) -> AsyncIterator[EmulatedTerminal]:
        """Lines that it answers."""
        yield EmulatedTerminal(self)

    async def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Reason for the empty output of the order's command."""
        yield f"{CANNOT}.\n".encode()

    async def connect(self, port: int) -> Streams:
        """MachineFault: nothing listens."""
        raise MachineFault(CANNOT)


class EmulatedTerminal:
    """An echoing line editor."""

    def __init__(self, inside: EmulatedInside) -> None:
        self._inside = inside
        self._line = b""
        self._printed: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._print(f"{CANNOT}.\n".encode() + PROMPT)

    async def read(self) -> bytes | None:
        """Next part of its output; None once it has ended."""
        return await self._printed.get()

    async def write(self, data: bytes) -> None:
        """Types."""
        for key in (data[at : at + 1] for at in range(len(data))):
            if key in (b"\r", b"\n"):
                self._enter()
            elif key == END_OF_FILE and not self._line:
                self._printed.put_nowait(None)
            elif key == INTERRUPT:
                self._line = b""
                self._print(b"^C\n" + PROMPT)
            elif key == BACKSPACE:
                if self._line:
                    self._line = self._line[:-1]
                    self._print(b"\b \b")
            elif key >= b" ":
                self._line += key
                self._print(key)

    async def resize(self, columns: int, rows: int) -> None:
        """It has no width."""

    async def exit_code(self) -> int:
        """0."""
        return 0

    def _enter(self) -> None:
        line = self._line.decode(errors="replace").strip()
        self._line = b""
        if line in ("exit", "logout"):
            self._printed.put_nowait(b"\r\n")
            self._printed.put_nowait(None)
            return
        self._print(b"\n" + self._inside.answer(line)[1] + PROMPT)

    def _print(self, data: bytes) -> None:
        self._printed.put_nowait(data.replace(b"\n", b"\r\n"))


async def _print(session: SSHServerProcess[bytes], terminal: EmulatedTerminal) -> None:
    while (data := await terminal.read()) is not None:
        session.stdout.write(data)


async def _typed(session: SSHServerProcess[bytes]) -> bytes:
    while True:
        try:
            return await session.stdin.read(1_024) or END_OF_FILE
        except TerminalSizeChanged:
            continue
