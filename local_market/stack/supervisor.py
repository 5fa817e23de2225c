"""Runs long-lived tasks, starts each once the one before is ready, and stops them in reverse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self

import structlog

from local_market.errors import StartFailed

log = structlog.get_logger(__name__)
STOP_SECONDS = 30.0
"""Patience with a part that is told to stop: one may have containers to remove."""


class StackSupervisor:
    """An async context manager over tasks that end only when they are told to."""

    def __init__(self) -> None:
        self._running: list[tuple[str, asyncio.Task[None], asyncio.Event | None]] = []

    async def start(
        self,
        name: str,
        serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
        *,
        stop: asyncio.Event | None = None,
    ) -> None:
        """Runs `serve(ready)` until it sets `ready`. It is stopped by setting `stop`, or by cancellation without one.

        Raises StartFailed when it ends before.
        """
        ready = asyncio.Event()
        task = asyncio.create_task(serve(ready), name=name)
        self._running.append((name, task, stop))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([waiting, *self._tasks()], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        self._raise_ended()

    async def wait(self) -> None:
        """Waits until a task ends unexpectedly, and raises StartFailed for it."""
        await asyncio.wait(self._tasks(), return_when=asyncio.FIRST_COMPLETED)
        self._raise_ended()

    async def stop(self) -> None:
        """Ends every task, the last one started first."""
        while self._running:
            name, task, stop = self._running.pop()
            if stop is None:
                task.cancel()
            else:
                stop.set()
            while (await asyncio.wait([task], timeout=STOP_SECONDS))[1]:
                log.warning("part_stops_late", part=name)
                task.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [task for _, task, _ in self._running]

    def _raise_ended(self) -> None:
        for name, task, _ in self._running:
            if task.done():
                error = None if task.cancelled() else task.exception()
                log.debug("part_stopped", part=name, exc_info=error)
                raise StartFailed(f"The {name} has stopped: {_cause(error)}") from error


def _cause(error: BaseException | None) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return "it exited" if error is None else f"{type(error).__name__}: {error}"
