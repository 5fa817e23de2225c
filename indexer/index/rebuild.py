"""Rebuilds the projections from the raw events, dead letters that can be read by now included.

They are made in temporary tables of one connection, which stand before the real ones there, and in the end take their
places in one SQL transaction. Until then readers see the old tables, and writers write.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Connection, Engine, Table, delete, func, insert, select, tuple_, update
from sqlalchemy.schema import CreateIndex, CreateTable

from anchor_client.generated.program import PROGRAM_ID
from indexer import garbage
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import write_changes
from indexer.errors import IndexerError
from indexer.index.project import project
from indexer.index.projection_version import current_version, is_current, keep_version
from indexer.models import RECORDS, Cursor, DeadLetter, Projection, RawEvent
from indexer.store.database import begin_writing, writing
from indexer.store.events import Decoded, Origin, read
from indexer.store.intake import take_numbers
from indexer.store.raw_events import raw_event
from indexer.store.rows import Rows

PAGE = 2_000
TOLD_SECONDS = 5.0
"""Seconds between two logs of progress."""
NOWHERE = (-1, -1, -1, -1)

Place = tuple[Any, ...]

log = structlog.get_logger(__name__)


class RawEventUnreadable(IndexerError):
    """A raw event that could once be read no longer can."""

    remedy = "install a version of gpu-market whose events only grew"


def rebuild(engine: Engine, progressed: Callable[[], object] = lambda: None) -> int:
    """Replays all raw events into new tables, which then replace the projections; gives how many.

    `progressed` is called after each page of events.

    Dead letters that this version of the client can read become raw events first. What is stopped begins anew at the
    next start. Raises RawEventUnreadable, and leaves the old tables then.
    """
    with writing(engine) as connection:
        _revive(connection)
    while (replayed := _replay(engine, progressed)) is None:
        log.warning("the past has changed meanwhile; projections are rebuilt once more")
    return replayed


def is_stale(engine: Engine) -> bool:
    """True where the projections are another version's, or the past has changed since they were made."""
    with engine.connect() as connection:
        if not is_current(connection):
            return True
        return connection.execute(select(Cursor.c.source).where(Cursor.c.stale)).first() is not None


def _replay(engine: Engine, progressed: Callable[[], object]) -> int | None:
    """Replays once, and puts the new tables in the old ones' places; None if the past has changed meanwhile."""
    with writing(engine) as connection:
        keep_version(connection, None)
        connection.execute(update(Cursor.table).values(stale=False))
    with _of_its_own(engine) as connection:
        with connection.begin():
            _make_beside(connection)
            replaying = _Replaying(connection)
        while True:
            with connection.begin():
                if not replaying.next_page():
                    break
            progressed()
        # The rest is replayed in the turn to write: from its start on no new event comes in.
        with begin_writing(connection):
            while replaying.next_page():
                pass
            if connection.execute(select(Cursor.c.source).where(Cursor.c.stale)).first() is not None:
                return None
            _swap(connection)
            keep_version(connection, current_version())
            write_changes(connection, [EVERYTHING])
    replaying.tell()
    return replaying.replayed


@contextmanager
def _of_its_own(engine: Engine) -> Iterator[Connection]:
    """A connection that ends with its use, and its temporary tables with it."""
    with engine.connect() as connection:
        try:
            yield connection
        finally:
            # Its temporary tables stand before the real ones: whoever got it from the pool would read those.
            connection.invalidate()


class _Replaying:
    """Goes through the raw events in the chain's order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._last: Place = NOWHERE
        source = connection.execute(select(Cursor.c.source)).scalars().first()
        self._program = PROGRAM_ID if source is None else Pubkey.from_string(source)
        self._told_at = self._began = time.monotonic()
        self._all = connection.execute(select(func.count()).select_from(RawEvent.table)).scalar_one()
        self.replayed = 0

    @garbage.kept()
    def next_page(self) -> bool:
        """Projects the next events; whether there were any."""
        order = (RawEvent.c.slot, RawEvent.c.transaction_index, RawEvent.c.instruction_index, RawEvent.c.inner_index)
        page = select(RawEvent.table).where(tuple_(*order) > self._last).order_by(*order).limit(PAGE)
        found = self._connection.execute(page).mappings().all()
        if not found:
            return False
        rows = Rows(self._connection, self._program)
        project([_decoded(RawEvent(**row)) for row in found], rows)
        rows.write()
        self._last = tuple(found[-1][column.key] for column in order)
        self.replayed += len(found)
        if time.monotonic() - self._told_at > TOLD_SECONDS:
            self.tell()
        return True

    def tell(self) -> None:
        """Logs how far it is."""
        self._told_at = time.monotonic()
        seconds = round(self._told_at - self._began, 1)
        log.info("rebuilding projections", events=self.replayed, of=max(self._all, self.replayed), seconds=seconds)


def _projections() -> Iterator[Table]:
    return (record.table for record in RECORDS if issubclass(record, Projection))


def _make_beside(connection: Connection) -> None:
    """Makes empty tables that stand before the real ones on this connection, and end with it."""
    for table in _projections():
        made = str(CreateTable(table).compile(dialect=connection.dialect))
        # SQLAlchemy would want a second definition for a temporary table, which might come to differ.
        connection.exec_driver_sql(made.replace("CREATE TABLE", "CREATE TEMPORARY TABLE", 1))
        for index in table.indexes:
            connection.execute(CreateIndex(index))


def _swap(connection: Connection) -> None:
    """Makes the real tables anew, as this version has them, from those beside."""
    beside = "temp" if connection.dialect.name == "sqlite" else "pg_temp"
    for table in _projections():
        name = table.name
        columns = ", ".join(table.columns.keys())
        # Renamed out of the way: under its own name it hides the table that is to be made.
        connection.exec_driver_sql(f"ALTER TABLE {beside}.{name} RENAME TO built_{name}")
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")
        table.create(connection)
        connection.exec_driver_sql(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM built_{name}")


def _revive(connection: Connection) -> None:
    for row in connection.execute(select(DeadLetter.table)).mappings().all():
        origin = Origin(*(row[name] for name in Origin._fields))
        outcome = read(origin, row["data"])
        if isinstance(outcome, Decoded):
            (number,) = take_numbers(connection, 1)
            connection.execute(insert(RawEvent.table).values(raw_event(outcome, number)))
            connection.execute(
                delete(DeadLetter.table).where(*(DeadLetter.c[key] == row[key] for key in Origin._fields[:3]))
            )


def _decoded(raw: RawEvent) -> Decoded:
    outcome = read(Origin(*(getattr(raw, name) for name in Origin._fields)), raw.data)
    if not isinstance(outcome, Decoded):
        raise RawEventUnreadable(f"{raw.name} in {raw.signature}: {outcome.error}") from outcome.error
    return outcome
