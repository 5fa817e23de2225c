"""Changes in the index, for everything in this process that caches something of it."""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from indexer import progress
from indexer.api.transactions import Reads
from indexer.api.watch import Watch
from indexer.changes import EVERYTHING
from indexer.status import Status

Listener = Callable[[Set[str]], None]


class Hearing:
    """Passes changes on; takes in how far the index has got where another process tells of it."""

    def __init__(self, program: str, status: Status, *, is_told: bool) -> None:
        self._program = program
        self._status = status
        self._is_told = is_told
        self._listeners: list[Listener] = []
        self._watch: Watch | None = None
        self._reads: Reads | None = None

    def pass_on(self, listener: Listener) -> None:
        """Calls `listener` with the words of each change."""
        self._listeners.append(listener)

    def begin(self, watch: Watch, reads: Reads) -> None:
        """The database is there."""
        self._watch, self._reads = watch, reads

    async def hear(self) -> None:
        """Takes in what has changed since the last call."""
        if self._watch is None or self._reads is None:
            return
        words = frozenset(self._watch.poll())
        if not words:
            return
        for listener in self._listeners:
            listener(words)
        if self._is_told and words & {EVERYTHING, progress.WORD}:
            with suppress(SQLAlchemyError):
                told = await self._reads(progress.progress_of, self._program)
                if told is not None:
                    self._status.hear(told)
