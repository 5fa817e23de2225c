"""Waiting, retrying, and work beside other work."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from anchor_client.service.backoff import Backoff

RETRY_SECONDS = 1.0
"""Before something that has failed is tried again."""
UNTIL_DONE: Final = Backoff(first=0.5, most=30.0)

T = TypeVar("T")


async def wait_or_timeout(event: asyncio.Event, seconds: float) -> bool:
    """Waits up to `seconds` for `event` and clears it; True if it was set."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    # After the wait, so that a call during the work that follows is not lost.
    event.clear()
    return True


async def holds_within(seconds: float, holds: Callable[[], Awaitable[bool]], *, every: float) -> bool:
    """Polls a condition for up to `seconds`; True once it holds."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not await holds():
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(every)
    return True


class Attempts:
    """Repeats what fails: after half a second, then backing off to half a minute, or as `waits` says.

    `on_failure` is given each error and the seconds until the next attempt.
    """

    def __init__(self, on_failure: Callable[[Exception, float], None], waits: Backoff | None = None) -> None:
        self._on_failure = on_failure
        self._waits = waits
        self._failures = 0

    async def until_done(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work` once it has one."""
        while True:
            try:
                result = await work()
            except Exception as error:
                self._failures += 1
                seconds = (self._waits or UNTIL_DONE).wait(self._failures)
                self._on_failure(error, seconds)
                await asyncio.sleep(seconds)
            else:
                self.succeeded()
                return result

    def succeeded(self) -> None:
        """Makes the next failure the first in a row, for work that lasts and is well."""
        self._failures = 0


def stop_on_signals(told: Callable[[], object] = lambda: None) -> asyncio.Event:
    """An event that SIGINT and SIGTERM set from now on; `told` is called then, too."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stopping.set()
        told()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    return stopping


@asynccontextmanager
async def background(*work: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Runs `work` beside the block and cancels it at the block's end; its errors are ignored."""
    tasks = [asyncio.create_task(part) for part in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_until(stop: asyncio.Event, work: Coroutine[Any, Any, object]) -> None:
    """Runs `work` until it ends or `stop` is set, which cancels it. Raises what it fails with."""
    running = asyncio.create_task(work)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (running, stopping):
            task.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
    if not running.cancelled():
        running.result()


async def wait_all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results, in order, once all have ended; the first failure, if any, is raised only then."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


async def run_all(*work: Coroutine[Any, Any, object]) -> None:
    """Runs all to their ends; the first failure cancels the others and is raised."""
    tasks = [asyncio.create_task(part) for part in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
