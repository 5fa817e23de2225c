"""A tenant's container, for the SSH server: processes in it, and the output of its command. The server itself executes
nothing: shells, files and forwarded ports are processes in the container, so any request runs as its user, within its
limits and on its network.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple, Protocol

import asyncssh

CANNOT_RUN: Final = 126
"""Exit code of a program that the machine cannot run."""
LOGIN_SHELL: Final = "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi"
TERMINAL_KIND: Final = "xterm-256color"
"""For access without SSH, whose clients name their own."""


class Said(NamedTuple):
    """A part of a process's output."""

    is_error: bool
    """True if it was printed to standard error."""
    data: bytes


class InsideProcess(Protocol):
    """A process without a terminal. MachineFault if the engine fails."""

    async def read(self) -> Said | None:
        """Next part of its output; None once it has ended."""

    async def write(self, data: bytes) -> None:
        """Writes to its input, at its own speed."""

    def end_input(self) -> None:
        """Closes its standard input."""


class InsideTerminal(Protocol):
    """A login shell with a terminal. MachineFault if the engine fails."""

    async def read(self) -> bytes | None:
        """Next part of its output; None once it has ended."""

    async def write(self, data: bytes) -> None:
        """Types."""

    async def resize(self, columns: int, rows: int) -> None:
        """Sets the terminal's size."""

    async def exit_code(self) -> int:
        """Exit code of the shell."""


class Inside(Protocol):
    """A tenant's container."""

    async def serve(self, session: asyncssh.SSHServerProcess[bytes]) -> None:
        """Runs a session's command, or a login shell, to its end and passes its exit code on."""

    def process(self, command: Sequence[str]) -> AbstractAsyncContextManager[InsideProcess]:
        """Runs a command in the shell's start directory; leaving the context ends it. MachineFault."""

    def terminal(self, columns: int, rows: int) -> AbstractAsyncContextManager[InsideTerminal]:
        """Runs a login shell; leaving the context hangs up. MachineFault."""

    def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Output of the container's command: its last `tail` lines, and with `follow` its new output. MachineFault."""
