"""A name's addresses, asked of the system beside the event loop.

Nothing ends a lookup early: where no name server answers, it may hold its thread for half a minute, long after whoever
asked has left. So who bounds lookups counts each until its thread has ended.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class NameLookup:
    """One lookup, in a thread of its own, which does not keep the process from ending. Callers bound how many there
    are."""

    def __init__(self) -> None:
        self._running: asyncio.Future[Sequence[str]] | None = None

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """The addresses, in the order in which to try them. OSError."""
        loop = asyncio.get_running_loop()
        running: asyncio.Future[Sequence[str]] = loop.create_future()
        # Looked at, also where its caller has left: asyncio logs a failure that nobody has seen.
        running.add_done_callback(asyncio.Future.exception)
        self._running = running

        def tell(act: Callable[[T], None], what: T) -> None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits in it
                loop.call_soon_threadsafe(act, what)

        def run() -> None:
            try:
                tell(running.set_result, _places(host, port))
            except OSError as error:
                tell(running.set_exception, error)

        Thread(target=run, name="name-lookup", daemon=True).start()
        return await asyncio.shield(running)

    def when_ended(self, call: Callable[[], None]) -> None:
        """Calls once its thread has ended, or at once if there is none."""
        if self._running is None:
            call()
        else:
            self._running.add_done_callback(lambda _: call())

    async def ended(self) -> None:
        """Returns once its thread has ended."""
        if self._running is not None:
            await asyncio.wait([self._running])


def _places(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # no name can be so
        raise OSError(f"{host} is no name") from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))
