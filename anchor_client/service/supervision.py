"""Reports a service's state to the service manager: sd_notify(3), datagrams to the socket that systemd names.

Without one, as anywhere but under systemd, nothing is reported.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, MutableMapping
from types import TracebackType
from typing import Final, Self

import structlog

from anchor_client.service.pacing import wait_or_timeout

ADDRESS: Final = "NOTIFY_SOCKET"
PATIENCE: Final = "WATCHDOG_USEC"
PROCESS: Final = "WATCHDOG_PID"
MICROSECONDS: Final = 1_000_000

log = structlog.get_logger(__name__)


class Turns:
    """The turns of one loop, as a context manager around each.

    A finished turn shows that the loop is alive, even if the turn failed: an outage is no reason to restart.
    Between turns a loop waits, which is not a hang.
    """

    def __init__(self, beat: Callable[[], object] = lambda: None) -> None:
        self._beat = beat
        self._since: float | None = None

    def __enter__(self) -> Self:
        self._since = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._since = None
        # Not for a cancellation, which is the end.
        if kind is None or issubclass(kind, Exception):
            self._beat()

    def progressed(self) -> None:
        """A part of a long turn is done. From any thread."""
        if self._since is not None:
            self._since = time.monotonic()
            self._beat()

    @property
    def seconds(self) -> float:
        """Seconds for which a turn has made no progress; 0 between turns."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since


class Supervisor:
    """Reports a process's state to its service manager, which waits `watchdog_seconds` for a sign of life."""

    def __init__(self, address: str | None = None, watchdog_seconds: float | None = None) -> None:
        self._address = address
        self._watchdog_seconds = watchdog_seconds
        self._is_ready = False
        self._loops: list[Turns] = []

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str] = os.environ) -> Self:
        """Reads systemd's variables, and removes them from the environment that child processes inherit."""
        address, patience, process = (environment.pop(name, None) for name in (ADDRESS, PATIENCE, PROCESS))
        watchdog_seconds = None
        if patience is not None and (process is None or int(process) == os.getpid()):
            watchdog_seconds = int(patience) / MICROSECONDS
        return cls(address, watchdog_seconds)

    def loop(self) -> Turns:
        """A loop that has to keep turning: one that hangs silences the others."""
        self._loops.append(Turns(self._beat))
        return self._loops[-1]

    def ready(self) -> None:
        """The service serves; from now on it gives signs of life."""
        self._tell("READY=1")
        self._is_ready = True

    def stopping(self) -> None:
        """The service has been told to stop."""
        self._tell("STOPPING=1")

    async def wait(self, called: asyncio.Event, seconds: float) -> bool:
        """As `wait_or_timeout`, for a loop that may wait longer than the service manager does for a sign of life."""
        ends = time.monotonic() + seconds
        part = seconds if self._watchdog_seconds is None else self._watchdog_seconds / 2
        while (left := ends - time.monotonic()) > part:
            if await wait_or_timeout(called, part):
                return True
            self._beat()
        return await wait_or_timeout(called, max(left, 0))

    def _beat(self) -> None:
        patience = self._watchdog_seconds
        if patience is not None and self._is_ready and all(loop.seconds < patience for loop in self._loops):
            self._tell("WATCHDOG=1")

    def _tell(self, state: str) -> None:
        if self._address is None:
            return
        if self._address.startswith("@"):
            # systemd writes a socket of Linux's abstract namespace with an @ for the null byte.
            abstract = "\0" + self._address[1:]
        else:
            abstract = self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                # A manager that does not read must not stop the service.
                manager.setblocking(False)
                manager.sendto(state.encode(), abstract)
        except OSError as error:
            log.warning("service_manager_not_told", state=state, error=error.strerror)
