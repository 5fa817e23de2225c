"""A tenant's container as the SSH server needs it: processes in it, and the output of its command.

The server does nothing by itself: shells, files and forwarded ports all are processes in the container, so they run as
its user, within its limits and on its network, whatever a renter asks for.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

import asyncssh


class Said(NamedTuple):
    """A part of what a process has printed."""

    is_error: bool
    """True where it was printed to standard error."""
    data: bytes


class InsideProcess(Protocol):
    """A process without a terminal. MachineFault where the engine fails."""

    async def read(self) -> Said | None:
        """Next part of its output; None once it has ended."""

    async def write(self, data: bytes) -> None:
        """Gives it input, as fast as it takes it."""

    def end_input(self) -> None:
        """Closes its standard input."""


class InsideTerminal(Protocol):
    """A login shell with a terminal. MachineFault where the engine fails."""

    async def read(self) -> bytes | None:
        """Next part of its output; None once it has ended."""

    async def write(self, data: bytes) -> None:
        """Types."""

    async def resize(self, columns: int, rows: int) -> None:
        """Says how large the terminal is now."""

    async def exit_code(self) -> int:
        """Exit code of the shell."""


class Inside(Protocol):
    """A tenant's container."""

    async def serve(self, session: asyncssh.SSHServerProcess[bytes]) -> None:
        """Runs a session's command, or a login shell, to its end and passes its exit code on."""

    def process(self, command: Sequence[str]) -> AbstractAsyncContextManager[InsideProcess]:
        """Runs a command in the directory where shells begin; whoever leaves the context ends it. MachineFault."""

    def terminal(self, columns: int, rows: int) -> AbstractAsyncContextManager[InsideTerminal]:
        """Runs a login shell; whoever leaves the context hangs up. MachineFault."""

    def output(self, *, follow: bool, tail: int | None) -> AsyncGenerator[bytes, None]:
        """Output of the container's command: its last `tail` lines, and with `follow` what it prints from now on.
        MachineFault.
        """
