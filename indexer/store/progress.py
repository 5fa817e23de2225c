"""Progress of the index, for the processes that answer requests: written after each look at the chain."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, insert, select, update

from indexer.changes.writer import write_changes
from indexer.models import Progress
from indexer.status import Status
from indexer.store.database import writing

WORD = Progress.table.name
"""The reported change."""


def write_progress(engine: Engine, program: str, status: Status) -> None:
    """Writes down what the process that follows the chain knows."""
    known = status.as_told()
    with writing(engine) as connection:
        changed = connection.execute(update(Progress.table).where(Progress.c.source == program).values(known))
        if changed.rowcount == 0:
            connection.execute(insert(Progress.table).values(source=program, **known))
        write_changes(connection, [WORD])


def progress_of(connection: Connection, program: str) -> Progress | None:
    """Progress as last written; None before the first look."""
    row = connection.execute(select(Progress.table).where(Progress.c.source == program)).mappings().first()
    return None if row is None else Progress(**row)
