"""Progress of the index, for the processes that answer requests: written after each look at the chain."""

from __future__ import annotations

import time

from sqlalchemy import Connection, Engine, insert, select, text, update

from indexer.changes.writer import write_changes
from indexer.models import Progress
from indexer.status import Status
from indexer.store.database import writing

NOW_MS = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
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
    """Unix milliseconds of the clock that all processes of an index share: PostgreSQL's, or this machine's where
    the database is a file.
    """
    if connection.dialect.name == "postgresql":
        return int(connection.execute(NOW_MS).scalar_one())
    # Not SQLite's: it reads fractions by x87 registers, which the machine code of programs on an embedded cluster
    # leaves unusable in threads of the same process, and then the time is NULL.
    return time.time_ns() // 1_000_000
