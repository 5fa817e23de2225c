"""Reader of changes: what was committed since its last look, whichever process did it.

A signal says when to look, on SQLite by a named pipe, on PostgreSQL by LISTEN.
"""

from __future__ import annotations

import asyncio
import selectors
import socket
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from indexer.changes.signal import drain, waiting
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import CHANNEL

SINCE = "SELECT number, words FROM change WHERE number > {mark} ORDER BY number"
NEWEST = "SELECT coalesce(max(number), 0) FROM change"
RETRY_SECONDS = 1.0
START_SECONDS = 5.0
"""Most that an application waits for a server that does not answer; it starts without it then."""

log = structlog.get_logger(__name__)


class ChangeReader(Protocol):
    """Reads changes, in the thread that made it."""

    def read(self) -> Collection[str]:
        """The words of the changes since the last call; EVERYTHING where that is not known."""


@contextmanager
def reading_changes(engine: Engine, told: Callable[[], None]) -> Iterator[ChangeReader]:
    """Reads the changes of a database until the context is left; calls `told` in the running loop after each commit."""
    loop = asyncio.get_running_loop()

    def tell() -> None:
        # A separate thread listens, which may not touch anything of the loop.
        loop.call_soon_threadsafe(told)

    if engine.dialect.name == "postgresql":
        with _Listening(engine, tell) as listening:
            yield listening
    else:
        connection = engine.raw_connection()
        try:
            with _woken(engine, loop, told):
                yield _Looking(connection.driver_connection)
        finally:
            connection.close()


@contextmanager
def _woken(engine: Engine, loop: asyncio.AbstractEventLoop, told: Callable[[], None]) -> Iterator[None]:
    def read(descriptor: int) -> None:
        drain(descriptor)
        told()

    with waiting(engine) as descriptor:
        if descriptor is None:
            yield
            return
        loop.add_reader(descriptor, read, descriptor)
        try:
            yield
        finally:
            loop.remove_reader(descriptor)


class _Changes:
    """The changes after the last ones that were read."""

    def __init__(self, mark: str) -> None:
        self._since = SINCE.format(mark=mark)
        self._last: int | None = None

    def read(self, connection: Any) -> set[str]:
        """Reads on by a driver's connection."""
        if self._last is None:
            ((self._last,),) = connection.execute(NEWEST).fetchall()
            return {EVERYTHING}
        words: set[str] = set()
        for number, told in connection.execute(self._since, (self._last,)).fetchall():
            # A missing number was pruned unread, or was a transaction's that was rolled back.
            words |= {*told.split(" ")} if number == self._last + 1 else {EVERYTHING}
            self._last = number
        return words


class _Looking:
    """SQLite: a connection sees, without reading the file, that another has committed."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._changes = _Changes("?")
        self._version: int | None = None

    def read(self) -> Collection[str]:
        """As ChangeReader."""
        try:
            # It changes with commits of other connections only, so this one never writes.
            ((version,),) = self._connection.execute("PRAGMA data_version").fetchall()
            if version == self._version:
                return ()
            words = self._changes.read(self._connection)
        except sqlite3.Error as error:
            log.warning("the database does not notify of changes", error=str(error))
            return {EVERYTHING}
        self._version = version
        return words


class _Listening:
    """PostgreSQL: a thread that LISTENs; while it cannot, everything may have changed."""

    def __init__(self, engine: Engine, tell: Callable[[], None]) -> None:
        self._engine = engine
        self._tell = tell
        self._told: deque[set[str]] = deque()
        self._is_listening = False
        self._tried = threading.Event()
        self._stopped = threading.Event()
        # Closing one end ends the thread's wait for the database, which is for both.
        self._leaving, self._left = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="indexer-listen", daemon=True)

    def read(self) -> Collection[str]:
        """As ChangeReader."""
        if not self._is_listening:
            return {EVERYTHING}
        words: set[str] = set()
        while self._told:
            words |= self._told.popleft()
        return words

    def __enter__(self) -> _Listening:
        """Listens, or cannot: readers answered before that get everything again once it does."""
        self._thread.start()
        self._tried.wait(START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._leaving.close()
        self._thread.join()
        self._left.close()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._listen()
            except (DBAPIError, self._engine.dialect.dbapi.Error) as error:  # type: ignore[union-attr]
                log.warning("the database does not notify of changes", error=str(error))
                self._stopped.wait(RETRY_SECONDS)
            finally:
                self._is_listening = False
                self._tried.set()

    def _listen(self) -> None:
        pooled = self._engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        try:
            connection.autocommit = True
            connection.execute(f"LISTEN {CHANNEL}")
            changes = _Changes("%s")
            self._take(changes.read(connection))
            self._is_listening = True
            self._tried.set()
            with selectors.DefaultSelector() as selector:
                selector.register(connection, selectors.EVENT_READ)
                selector.register(self._left, selectors.EVENT_READ)
                while not self._stopped.is_set():
                    if list(connection.notifies(timeout=0)):
                        self._take(changes.read(connection))
                    else:
                        selector.select()
        finally:
            connection.close()

    def _take(self, words: set[str]) -> None:
        self._told.append(words)
        self._tell()
