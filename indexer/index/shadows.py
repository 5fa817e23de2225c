"""Projections that are made beside the real ones and then take their places.

On the connection that makes them they hide the real tables, whose names they have, and so have their indexes and
constraints. PostgreSQL's are in a schema of their own, and change places with the real ones by changing schemas: that
takes milliseconds however large they are. SQLite's are temporary and copied, which keeps writers waiting and no reader.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import structlog
from sqlalchemy import Connection, Engine, Table, func, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable

from indexer.models import RECORDS, Projection

REBUILDERS_LOCK: Final = 0x6770755F726264
"""Key of the advisory lock of whoever rebuilds on PostgreSQL; it ends with their connection."""
MOST_WAIT_MS: Final = 25
"""Longest wait for readers to leave the tables: those that come meanwhile wait as long."""
POLL_SECONDS: Final = 0.2
SHADOW, REPLACED = "_rebuilt", "_replaced"

log = structlog.get_logger(__name__)


class TablesInUse(Exception):
    """Somebody reads the tables for longer than anybody should have to wait."""


class Shadows(Protocol):
    """The new tables on one connection."""

    def make(self) -> None:
        """Makes them, empty, after clearing. In its own transactions."""

    def finish(self) -> None:
        """Prepares what was made for readers. In its own transaction."""

    def swap(self) -> None:
        """Puts them in the real ones' places with what the open transaction has done. TablesInUse: that is undone."""

    def clear(self) -> None:
        """Removes the tables that they have replaced, and what one that was stopped has left."""


@contextmanager
def shadows_of(engine: Engine, progressed: Callable[[], object]) -> Iterator[tuple[Connection, Shadows]]:
    """A connection, and its shadow tables. It ends with its use: whoever got it from the pool would read those.

    On PostgreSQL one has them at a time; others wait.
    """
    with engine.connect() as connection:
        try:
            if engine.dialect.name == "sqlite":
                yield connection, _Temporary(connection)
                return
            _take_turn(connection, progressed)
            yield connection, _InSchema(connection)
        finally:
            connection.invalidate()


def _take_turn(connection: Connection, progressed: Callable[[], object]) -> None:
    while True:
        with connection.begin():
            if connection.execute(select(func.pg_try_advisory_lock(REBUILDERS_LOCK))).scalar_one():
                return
        progressed()
        time.sleep(POLL_SECONDS)


def _projections() -> Iterator[Table]:
    return (record.table for record in RECORDS if issubclass(record, Projection))


class _InSchema:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with connection.begin():
            schema = connection.execute(select(func.current_schema())).scalar_one()
        quote = connection.dialect.identifier_preparer.quote
        self._names = {"real": quote(schema), "shadow": quote(schema + SHADOW), "replaced": quote(schema + REPLACED)}

    def make(self) -> None:
        self.clear()
        with self._connection.begin():
            self._run("CREATE SCHEMA {shadow}", "SET search_path = {shadow}, {real}")
            for table in _projections():
                table.create(self._connection)

    def finish(self) -> None:
        # Readers' plans would be guesses until PostgreSQL's own analysis.
        with self._connection.begin():
            self._run(*(f"ANALYZE {{shadow}}.{table.name}" for table in _projections()))
            # Not while others wait.
            self._run("CREATE SCHEMA {replaced}")

    def swap(self) -> None:
        """A table of the real ones may be missing: an older version had none."""
        names = [table.name for table in _projections()]
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
        moves += [f"ALTER TABLE {{shadow}}.{name} SET SCHEMA {{real}}" for name in names]
        # With the moves, not after them: who waits for the tables waits for no turn of this process.
        moves += ["COMMIT"]
        try:
            # All at once: on a busy machine each turn between the two processes takes longer than what it asks for.
            self._run("; ".join(moves))
        except OperationalError as error:
            raise TablesInUse from error

    def clear(self) -> None:
        with self._connection.begin():
            self._run("DROP SCHEMA IF EXISTS {replaced} CASCADE", "DROP SCHEMA IF EXISTS {shadow} CASCADE")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._connection.exec_driver_sql(statement.format(**self._names))


class _Temporary:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def make(self) -> None:
        with self._connection.begin():
            for table in _projections():
                self._connection.exec_driver_sql(f"DROP TABLE IF EXISTS temp.{table.name}")
                made = str(CreateTable(table).compile(dialect=self._connection.dialect))
                # SQLAlchemy would want a second definition for a temporary table, which might come to differ.
                self._connection.exec_driver_sql(made.replace("CREATE TABLE", "CREATE TEMPORARY TABLE", 1))
                for index in table.indexes:
                    self._connection.execute(CreateIndex(index))

    def finish(self) -> None:
        """Nothing is left to do."""

    def swap(self) -> None:
        for table in _projections():
            name = table.name
            columns = ", ".join(table.columns.keys())
            # Renamed out of the way: under its own name it hides the table that is to be made.
            self._connection.exec_driver_sql(f"ALTER TABLE temp.{name} RENAME TO built_{name}")
            self._connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")
            table.create(self._connection)
            self._connection.exec_driver_sql(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM built_{name}")

    def clear(self) -> None:
        """Temporary tables end with their connection."""
