"""Transactions in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Generic, TypeVar

import structlog

from anchor_client.errors import GpuMarketError

T = TypeVar("T")
R = TypeVar("R")

log = structlog.get_logger(__name__)


class InFlight(Generic[T]):
    """Transactions whose fate is open, each with its own waiting task. `on_landed` is called after each."""

    def __init__(self, on_landed: Callable[[], None] = lambda: None) -> None:
        self._tasks: dict[asyncio.Task[Any], T] = {}
        self._on_landed = on_landed

    @property
    def items(self) -> Collection[T]:
        """Items that were launched and whose fate is still open."""
        return self._tasks.values()

    def launch(self, item: T, landing: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        """Runs `landing`, even without a waiter."""
        task = asyncio.create_task(landing)
        # Which also keeps it: asyncio holds tasks weakly, and one that nobody has may be collected as it runs.
        self._tasks[task] = item
        task.add_done_callback(self._landed)
        return task

    async def drain(self, seconds: float | None = None) -> bool:
        """Waits up to `seconds` for all transactions in flight; True if drained."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        return not self._tasks

    async def close(self) -> None:
        """Stops waiting for transactions in flight."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _landed(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, GpuMarketError):
                log.warning("fate_unknown", error=error.message)
            else:
                log.error("landing_broken", exc_info=error)
        self._on_landed()
