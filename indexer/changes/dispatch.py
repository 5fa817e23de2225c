"""Dispatch of changes to everything in this process that keeps something of the index."""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from indexer.changes.reader import ChangeReader
from indexer.changes.words import EVERYTHING, MANY
from indexer.status import Status
from indexer.store import progress
from indexer.store.transactions import Reads
from indexer.store.turns import own_work

Listener = Callable[[Set[str]], None]


class ChangeDispatcher:
    """Passes changes on to their subscribers; updates the index's position where another process reports it."""

    def __init__(self, program: str, status: Status, *, is_told: bool) -> None:
        self._program = program
        self._status = status
        self._is_told = is_told
        self._listeners: list[Listener] = []
        self._reader: ChangeReader | None = None
        self._reads: Reads | None = None

    def subscribe(self, listener: Listener) -> None:
        """Calls `listener` with the words of each change."""
        self._listeners.append(listener)

    def begin(self, reader: ChangeReader, reads: Reads) -> None:
        """The database is there."""
        self._reader = reader
        self._reads = reads

    async def dispatch(self) -> None:
        """Takes in what has changed since the last call."""
        if self._reader is None or self._reads is None:
            return
        words = frozenset(self._reader.read())
        if not words:
            return
        for listener in self._listeners:
            listener(words)
        if self._is_told and words & {EVERYTHING, MANY, progress.WORD}:
            with suppress(SQLAlchemyError):
                # All callers wait for it, whoever has come first.
                with own_work():
                    told = await self._reads(progress.progress_of, self._program)
                if told is not None:
                    self._status.hear(*told)
