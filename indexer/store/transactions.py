"""SQL transactions of the API beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from contextvars import copy_context
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine

from indexer.store.database import writing
from indexer.store.turns import NetworkTurns

READERS = 4
"""More would only wait for each other: what a read does between its queries, it does alone in the process."""
REPLAYERS = 1
WRITERS = 1
"""Writers take turns anyhow."""

P = ParamSpec("P")
T = TypeVar("T")


class _Transactions:
    """A context manager; awaited with a function of a connection, and what else it takes, it gives what that gives.

    Networks take turns. Leaving it waits for the transactions under way.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]], threads: int, name: str) -> None:
        self._begin = begin
        # One more than threads: the next is there when one ends.
        self._turns = NetworkTurns(threads + 1)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def __call__(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Raises what the function raises."""
        await self._turns.begin()
        loop = asyncio.get_running_loop()
        running = self._submitted(ask, *args, **kwargs)
        try:
            return await asyncio.wrap_future(running)
        finally:
            if running.done():
                self._turns.pass_on()
            else:
                # Its caller has left; the thread has not.
                running.add_done_callback(lambda _: self._pass_on_in(loop))

    def _pass_on_in(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop has ended, and nobody waits in it
            loop.call_soon_threadsafe(self._turns.pass_on)

    def _submitted(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        def run() -> T:
            with self._begin() as connection:
                return ask(connection, *args, **kwargs)

        return self._threads.submit(copy_context().run, run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turns.close()
        # Their connections are closed with them: nobody else would close those of transactions under way.
        self._threads.shutdown(wait=True, cancel_futures=True)


class Reads(_Transactions):
    """Reads of the index."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.connect, READERS, "indexer-read")


class Replays(_Transactions):
    """Reads of what clients of the feed have missed: they wait for each other, and routes for none of them."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.connect, REPLAYERS, "indexer-replay")


class Writes(_Transactions):
    """Changes of what the API itself keeps: all of a function's, or none when it raises."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(lambda: writing(engine), WRITERS, "indexer-write")
