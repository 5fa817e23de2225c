"""Progress of the index, for the processes that answer requests: written after each look at the chain."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, insert, select, text, update

from indexer.changes.writer import write_changes
from indexer.models import Progress
from indexer.status import Status
from indexer.store.database import writing

NOW_MS = {
    "postgresql": "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    "sqlite": "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
}
WORD = Progress.table.name
"""The reported change."""


def write_progress(engine: Engine, program: str, status: Status) -> None:
    """Writes down what the process that follows the chain knows."""
    with writing(engine) as connection:
        known = status.as_told(now_ms(connection))
        changed = connection.execute(update(Progress.table).where(Progress.c.source == program).values(known))
        if changed.rowcount == 0:
            connection.execute(insert(Progress.table).values(source=program, **known))
        write_changes(connection, [WORD])


def progress_of(connection: Connection, program: str) -> tuple[Progress, int] | None:
    """Progress as last written, and the database's time now; None before the first look."""
    row = connection.execute(select(Progress.table).where(Progress.c.source == program)).mappings().first()
    return None if row is None else (Progress(**row), now_ms(connection))


def now_ms(connection: Connection) -> int:
    """The database's unix time in milliseconds: the one clock that all processes of an index have in common."""
    return int(connection.execute(text(NOW_MS[connection.dialect.name])).scalar_one())
