"""The fence of an index that is read from a topic: of several projectors, only the last that took over can write.

Every transaction of a projector passes it, and notes in passing from where the topic is to be read after a restart.
What is noted never runs ahead of what is committed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, insert, select, text, update

from indexer.errors import Fenced
from indexer.models import Cursor, TopicPosition
from indexer.store import database
from indexer.store.database import FENCE, WRITERS_LOCK, writing

TRY_SECONDS = 0.2
END_SUSPENDED = text(
    """
SELECT pg_terminate_backend(activity.pid) FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint = :key
  AND datname = current_database() AND activity.wait_event = 'ClientRead'
  AND state_change < clock_timestamp() - make_interval(secs => :seconds)
"""
)
"""Ends a holder of the writers' turn whose client has been silent for so long."""


@dataclass(frozen=True, slots=True)
class Term:
    """The right to write, until another takes over, and where to begin.

    The slots before `next_slot` are in the database; all that concerns later ones stands from `next_offset` on.
    """

    epoch: int
    next_slot: int
    next_offset: int


def take_over(engine: Engine, program: str) -> Term:
    """Begins a term: from its commit on, nobody else can write. The last slot that has rows is read again."""
    _end_suspended(engine)
    with writing(engine) as connection:
        row = connection.execute(select(TopicPosition.table).where(TopicPosition.c.source == program)).first()
        slot = connection.execute(select(Cursor.c.slot).where(Cursor.c.source == program)).scalar() or 0
        if row is None:
            connection.execute(insert(TopicPosition.table).values(source=program, epoch=1, next_slot=0, next_offset=0))
            return Term(1, slot, 0)
        begin = update(TopicPosition.table).where(TopicPosition.c.source == program)
        connection.execute(begin.values(epoch=row.epoch + 1))
        return Term(row.epoch + 1, max(row.next_slot, slot), row.next_offset)


def _end_suspended(engine: Engine) -> None:
    """Waits for a turn on PostgreSQL, and ends a writer that would never end it: its client has stopped within a COPY,
    where PostgreSQL's own limits do not apply.
    """
    if engine.dialect.name != "postgresql":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while not connection.execute(select(func.pg_try_advisory_xact_lock(WRITERS_LOCK))).scalar():
            connection.execute(END_SUSPENDED, {"key": WRITERS_LOCK, "seconds": database.IDLE_SECONDS})
            time.sleep(TRY_SECONDS)


class Fence:
    """Lets the transactions of one term pass; `lost` is called, from any thread, where it is over."""

    def __init__(self, program: str, term: Term, lost: Callable[[], object]) -> None:
        self._program = program
        self._epoch = term.epoch
        self._noted = {"next_slot": term.next_slot, "next_offset": term.next_offset}
        self._lost = lost

    def move(self, next_slot: int, next_offset: int) -> None:
        """Sets the position that later commits record."""
        self._noted = {"next_slot": next_slot, "next_offset": next_offset}

    def guard(self, engine: Engine) -> Engine:
        """The same database, whose writers pass the fence."""
        return engine.execution_options(**{FENCE: self._pass})

    def _pass(self, connection: Connection) -> None:
        """Within a writer's turn. Raises Fenced, and the transaction leaves nothing behind."""
        own = (TopicPosition.c.source == self._program) & (TopicPosition.c.epoch == self._epoch)
        if connection.execute(update(TopicPosition.table).where(own).values(self._noted)).rowcount != 1:
            self._lost()
            raise Fenced
