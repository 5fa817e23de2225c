"""Rebuilds the projections from the raw events, dead letters that can be read by now included."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, delete, insert, select, tuple_, update

from indexer.changes import EVERYTHING, tell
from indexer.database import writing
from indexer.decode import Decoded, Origin, read
from indexer.errors import IndexerError
from indexer.models import RECORDS, Cursor, DeadLetter, Projection, RawEvent
from indexer.project import project
from indexer.rows import Rows

PAGE = 2_000


class RawEventUnreadable(IndexerError):
    """A raw event that could once be read no longer can."""

    remedy = "install a version of gpu-market whose events only grew"


def rebuild(engine: Engine) -> int:
    """Empties every projection and replays all raw events, in one SQL transaction; gives how many.

    Dead letters that this version of the client can read become raw events first. Readers see the old tables until the
    new ones are complete. Raises RawEventUnreadable, and changes nothing then.
    """
    replayed = 0
    with writing(engine) as connection:
        _revive(connection)
        for record in RECORDS:
            if issubclass(record, Projection):
                connection.execute(delete(record.table))
        for page in _pages(connection):
            rows = Rows(connection)
            project(page, rows)
            rows.write()
            replayed += len(page)
        connection.execute(update(Cursor.table).values(stale=False))
        tell(connection, [EVERYTHING])
    return replayed


def is_stale(engine: Engine) -> bool:
    """Whether the past has changed since the projections were made."""
    with engine.connect() as connection:
        return connection.execute(select(Cursor.c.source).where(Cursor.c.stale)).first() is not None


def _revive(connection: Connection) -> None:
    for row in connection.execute(select(DeadLetter.table)).mappings().all():
        origin = Origin(*(row[name] for name in Origin._fields))
        outcome = read(origin, row["data"])
        if isinstance(outcome, Decoded):
            name = type(outcome.event).__name__
            connection.execute(insert(RawEvent.table).values(**origin._asdict(), name=name, data=outcome.data))
            connection.execute(
                delete(DeadLetter.table).where(*(DeadLetter.c[key] == row[key] for key in Origin._fields[:3]))
            )


def _pages(connection: Connection) -> Iterator[list[Decoded]]:
    order = (RawEvent.c.slot, RawEvent.c.transaction_index, RawEvent.c.instruction_index, RawEvent.c.inner_index)
    last = (-1, -1, -1, -1)
    while True:
        page = select(RawEvent.table).where(tuple_(*order) > last).order_by(*order).limit(PAGE)
        rows = connection.execute(page).mappings().all()
        if not rows:
            return
        yield [_decoded(RawEvent(**row)) for row in rows]
        last = tuple(rows[-1][column.key] for column in order)


def _decoded(raw: RawEvent) -> Decoded:
    outcome = read(Origin(*(getattr(raw, name) for name in Origin._fields)), raw.data)
    if not isinstance(outcome, Decoded):
        raise RawEventUnreadable(f"{raw.name} in {raw.signature}: {outcome.error}") from outcome.error
    return outcome
