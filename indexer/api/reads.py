"""Reads of the index beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine

THREADS = 4
"""More would only wait for each other: what a read does between its queries, it does alone in the process."""

P = ParamSpec("P")
T = TypeVar("T")


class Reads:
    """A context manager; awaited with a function of a connection, and what else it takes, it gives what that gives."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="indexer-read")

    async def __call__(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Raises what the function raises."""

        def read() -> T:
            with self._engine.connect() as connection:
                return ask(connection, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, read)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
