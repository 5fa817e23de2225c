"""The fence of an index that is read from a topic: of several projectors, only the last that took over can write.

Every transaction of a projector passes it, and notes in passing from where the topic is to be read after a restart.
What is noted never runs ahead of what is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, insert, select, update

from indexer.errors import Fenced
from indexer.models import Cursor, TopicPosition
from indexer.store.database import FENCE, writing

IDLE_SECONDS = 30
"""Longest that a suspended projector holds up PostgreSQL's other writers: its transaction is rolled back then."""


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
    with writing(engine) as connection:
        row = connection.execute(select(TopicPosition.table).where(TopicPosition.c.source == program)).first()
        slot = connection.execute(select(Cursor.c.slot).where(Cursor.c.source == program)).scalar() or 0
        if row is None:
            connection.execute(insert(TopicPosition.table).values(source=program, epoch=1, next_slot=0, next_offset=0))
            return Term(1, slot, 0)
        begin = update(TopicPosition.table).where(TopicPosition.c.source == program)
        connection.execute(begin.values(epoch=row.epoch + 1))
        return Term(row.epoch + 1, max(row.next_slot, slot), row.next_offset)


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
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.set_config("idle_in_transaction_session_timeout", f"{IDLE_SECONDS}s", True)))
        own = (TopicPosition.c.source == self._program) & (TopicPosition.c.epoch == self._epoch)
        if connection.execute(update(TopicPosition.table).where(own).values(self._noted)).rowcount != 1:
            self._lost()
            raise Fenced
