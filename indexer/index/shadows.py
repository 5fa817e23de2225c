"""Projections that are made beside the real ones and then take their places.

On the connection that makes them they hide the real tables, whose names they have, and so have their indexes and
constraints. PostgreSQL's are in a schema of their own, and change places with the real ones by changing schemas: that
takes milliseconds however large they are. SQLite's are temporary, and copied beside the real ones (`copied`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, Protocol

import structlog
from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import OperationalError

from anchor_client.service.lock_file import locked
from indexer.index.copied import Copied, projections
from indexer.store.database import file_of

REBUILDERS_LOCK: Final = 0x6770755F726264
"""Key of the advisory lock of whoever rebuilds on PostgreSQL; it ends with their connection."""
REBUILDERS_FILE: Final = "-rebuild"
"""Ends the name of the file that they lock on SQLite."""
MOST_WAIT_MS: Final = 25
"""Longest wait for readers to leave the tables: those that come meanwhile wait as long."""
POLL_SECONDS: Final = 0.2

log = structlog.get_logger(__name__)


class TablesInUse(Exception):
    """Somebody else has the tables for longer than anybody should have to wait."""


class Shadows(Protocol):
    """The new tables on one connection."""

    def make(self) -> None:
        """Makes them, empty, after clearing. In its own transactions."""

    def finish(self) -> None:
        """Prepares what was made for readers. In its own transactions."""

    def keep_up(self) -> None:
        """Does for readers what was replayed after that. In its own transactions."""

    def swap(self) -> None:
        """Puts them in the real ones' places with what the open transaction has done. TablesInUse: that is undone."""

    def clear(self) -> None:
        """Removes the tables that they have replaced, and what one that was stopped has left."""


@contextmanager
def shadows_of(engine: Engine, progressed: Callable[[], object]) -> Iterator[tuple[Connection, Shadows]]:
    """A connection, and its shadow tables. It ends with its use: whoever got it from the pool would read those.

    One has them at a time; others wait.
    """
    with ExitStack() as turn, engine.connect() as connection:
        try:
            while not _take_turn(connection, turn):
                progressed()
                time.sleep(POLL_SECONDS)
            yield (
                connection,
                Copied(connection, progressed) if engine.dialect.name == "sqlite" else _InSchema(connection),
            )
        finally:
            connection.invalidate()


def _take_turn(connection: Connection, turn: ExitStack) -> bool:
    """True once it is this one's, until the stack or the connection ends. A database in memory is no other's."""
    if connection.dialect.name == "postgresql":
        with connection.begin():
            return bool(connection.execute(select(func.pg_try_advisory_lock(REBUILDERS_LOCK))).scalar_one())
    file = file_of(connection.engine)
    try:
        if file is not None:
            turn.enter_context(locked(file.with_name(file.name + REBUILDERS_FILE), TablesInUse()))
    except TablesInUse:
        return False
    return True


class _InSchema:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with connection.begin():
            schema = connection.execute(select(func.current_schema())).scalar_one()
        quote = connection.dialect.identifier_preparer.quote
        others = {each: quote(f"{schema}_{each}") for each in ("rebuilt", "replaced")}
        self._names = {"real": quote(schema), **others}

    def make(self) -> None:
        self.clear()
        with self._connection.begin():
            self._run("CREATE SCHEMA {rebuilt}", "SET search_path = {rebuilt}, {real}")
            for table in projections():
                table.create(self._connection)

    def finish(self) -> None:
        # Readers' plans would be guesses until PostgreSQL's own analysis.
        with self._connection.begin():
            self._run(*(f"ANALYZE {{rebuilt}}.{table.name}" for table in projections()))
            # Not while others wait.
            self._run("CREATE SCHEMA {replaced}")

    def keep_up(self) -> None:
        """Nothing is to be done."""

    def swap(self) -> None:
        """A table of the real ones may be missing: an older version had none."""
        names = [table.name for table in projections()]
        there = set(
            self._connection.execute(
                text("SELECT tablename FROM pg_tables WHERE quote_ident(schemaname) = :real"),
                {"real": self._names["real"]},
            ).scalars()
        )
        old = [name for name in names if name in there]
        held = ", ".join(f"{{real}}.{name}" for name in old)
        moves = [
            # Else the locks last until the commit is on disk; one that is lost leaves the old tables.
            "SET LOCAL synchronous_commit = off",
            # All of them within this time; lock_timeout would give each as much.
            f"SET LOCAL statement_timeout = {MOST_WAIT_MS}",
            f"LOCK TABLE {held} IN ACCESS EXCLUSIVE MODE",
            "SET LOCAL statement_timeout = 0",
        ]
        moves += [f"ALTER TABLE {{real}}.{name} SET SCHEMA {{replaced}}" for name in old]
        moves += [f"ALTER TABLE {{rebuilt}}.{name} SET SCHEMA {{real}}" for name in names]
        # With the moves, not after them: who waits for the tables waits for no turn of this process.
        moves += ["COMMIT"]
        try:
            # All at once: on a busy machine each turn between the two processes takes longer than what it asks for.
            self._run("; ".join(moves))
        except OperationalError as error:
            raise TablesInUse from error

    def clear(self) -> None:
        with self._connection.begin():
            self._run("DROP SCHEMA IF EXISTS {replaced} CASCADE", "DROP SCHEMA IF EXISTS {rebuilt} CASCADE")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._connection.exec_driver_sql(statement.format(**self._names))
