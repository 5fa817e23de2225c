"""Rebuilds the projections from the raw events, dead letters that can be read by now included.

They are made in separate tables (`shadows`), which take the real ones' places in the end. Until then readers see
the old tables, and writers write.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Connection, Engine, delete, func, insert, select, tuple_, update

from anchor_client.generated.program import PROGRAM_ID
from indexer import garbage
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import write_changes
from indexer.errors import IndexerError
from indexer.index.project import project
from indexer.index.projection_version import current_version, is_current, keep_version
from indexer.index.shadows import Shadows, TablesInUse, shadows_of
from indexer.models import Cursor, DeadLetter, RawEvent
from indexer.store.database import begin_writing, writing
from indexer.store.events import Decoded, Origin, read
from indexer.store.intake import take_numbers
from indexer.store.raw_events import raw_event
from indexer.store.rows import Rows

PAGE = 2_000
TOLD_SECONDS = 5.0
"""Seconds between two logs of progress."""
FEW = 100
"""Events that are replayed in the turn to write, at most those that came since the last look."""
PAUSE_SECONDS = (0.05, 0.2)
"""Bounds of the wait between two attempts to put the new tables in the old ones' places."""
NOWHERE = (-1, -1, -1, -1)

Place = tuple[Any, ...]

log = structlog.get_logger(__name__)


class RawEventUnreadable(IndexerError):
    """A raw event that could once be read no longer can."""

    remedy = "install a version of gpu-market whose events only grew"


def rebuild(engine: Engine, progressed: Callable[[], object] = lambda: None, *, only_stale: bool = False) -> int:
    """Replays all raw events into new tables, which then replace the projections; gives how many.

    `progressed` is called after each page of events. With `only_stale` nothing is done, and 0 given, where another has
    rebuilt them while this one waited for its turn.

    Dead letters that this version of the client can read become raw events first. What is stopped starts over at the
    next start. Raises RawEventUnreadable, and leaves the old tables then.
    """
    with shadows_of(engine, progressed) as (connection, shadows):
        if only_stale and not is_stale(engine):
            return 0
        with writing(engine) as others:
            _revive(others)
        while (replayed := _replay(engine, connection, shadows, progressed)) is None:
            log.warning("the past has changed meanwhile; projections are rebuilt once more")
        shadows.clear()
    return replayed


def is_stale(engine: Engine) -> bool:
    """True where the projections are another version's, or the past has changed since they were made."""
    with engine.connect() as connection:
        if not is_current(connection):
            return True
        return connection.execute(select(Cursor.c.source).where(Cursor.c.stale)).first() is not None


def _replay(engine: Engine, connection: Connection, shadows: Shadows, progressed: Callable[[], object]) -> int | None:
    """Replays once, and puts the new tables in the old ones' places; None if the past has changed meanwhile."""
    with writing(engine) as others:
        keep_version(others, None)
        others.execute(update(Cursor.table).values(stale=False))
    # Not once readers wait: it reads and hashes files for long.
    version = current_version()
    shadows.make()
    with connection.begin():
        replaying = _Replaying(connection)
    _catch_up(connection, shadows, replaying, progressed)
    shadows.finish()
    for wait in _pauses():
        # What came while tables were finished, or readers were in the way: no writer waits for that.
        _catch_up(connection, shadows, replaying, progressed)
        place = replaying.place
        replayed = replaying.replayed
        try:
            with begin_writing(connection):
                # The rest is replayed in the turn to write: from its start on no new event comes in.
                while replaying.next_page():
                    pass
                if connection.execute(select(Cursor.c.source).where(Cursor.c.stale)).first() is not None:
                    return None
                keep_version(connection, version)
                write_changes(connection, [EVERYTHING])
                # Last: readers wait from here on until the commit.
                shadows.swap()
            break
        except TablesInUse:
            replaying.place = place
            replaying.replayed = replayed
        progressed()
        time.sleep(wait)
    replaying.tell()
    return replaying.replayed


def _catch_up(
    connection: Connection, shadows: Shadows, replaying: _Replaying, progressed: Callable[[], object]
) -> None:
    """Replays until few events are left."""
    found = PAGE
    while found > FEW:
        with connection.begin():
            found = replaying.next_page()
        shadows.keep_up()
        progressed()


def _pauses() -> Iterator[float]:
    """Seconds between attempts to swap, in which nobody waits for this one."""
    began = told_at = time.monotonic()
    while True:
        yield random.uniform(*PAUSE_SECONDS)
        if time.monotonic() - told_at > TOLD_SECONDS:
            told_at = time.monotonic()
            log.warning("waiting for readers to leave the tables", seconds=round(told_at - began))


class _Replaying:
    """Goes through the raw events in the chain's order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.place: Place = NOWHERE
        """Of the last event that was replayed."""
        source = connection.execute(select(Cursor.c.source)).scalars().first()
        self._program = PROGRAM_ID if source is None else Pubkey.from_string(source)
        self._told_at = self._began = time.monotonic()
        self._all = connection.execute(select(func.count()).select_from(RawEvent.table)).scalar_one()
        self.replayed = 0

    @garbage.kept()
    def next_page(self) -> int:
        """Projects the next events; how many there were."""
        order = (RawEvent.c.slot, RawEvent.c.transaction_index, RawEvent.c.instruction_index, RawEvent.c.inner_index)
        page = select(RawEvent.table).where(tuple_(*order) > self.place).order_by(*order).limit(PAGE)
        found = self._connection.execute(page).mappings().all()
        if not found:
            return 0
        rows = Rows(self._connection, self._program)
        project([_decoded(RawEvent(**row)) for row in found], rows)
        rows.write()
        self.place = tuple(found[-1][column.key] for column in order)
        self.replayed += len(found)
        if time.monotonic() - self._told_at > TOLD_SECONDS:
            self.tell()
        return len(found)

    def tell(self) -> None:
        """Logs how far it is."""
        self._told_at = time.monotonic()
        seconds = round(self._told_at - self._began, 1)
        log.info("rebuilding projections", events=self.replayed, of=max(self._all, self.replayed), seconds=seconds)


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
