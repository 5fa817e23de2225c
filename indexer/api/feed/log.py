"""The events and withdrawals of the index in the order in which it took them in."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, null, select
from sqlalchemy.sql.elements import ColumnElement

from indexer.models import RawEvent, WithdrawnEvent
from indexer.store.events import Decoded, Origin, UnreadableEvent, read
from indexer.store.intake import intake_of

SEPARATOR = "-"


class FeedEntry(NamedTuple):
    """An event that was taken in, or one that was withdrawn."""

    number: int
    withdrawn: int | None
    """The number that the event came with; None if it comes now."""
    signature: str
    slot: int
    data: bytes

    def read(self) -> Decoded | UnreadableEvent:
        """The event."""
        return read(Origin(self.signature, 0, 0, self.slot, 0), self.data)


class Position(NamedTuple):
    """A reader's position in an index."""

    index_id: str
    """Its id; empty before it took anything in."""
    number: int

    def __str__(self) -> str:
        return f"{self.index_id}{SEPARATOR}{self.number}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """ValueError if it is none."""
        index, _, number = text.partition(SEPARATOR)
        if not number.isascii() or not number.isdecimal():
            raise ValueError(f"{text} is not a cursor")
        return cls(index, int(number))


CURSOR_PATTERN = rf"^([0-9a-f]{{16}})?{SEPARATOR}[0-9]{{1,18}}$"


def newest(connection: Connection) -> Position:
    """The end of the log."""
    intake = intake_of(connection)
    return Position(intake.id, intake.last)


def entries_after(connection: Connection, number: int, most: int) -> list[FeedEntry]:
    """The next entries, up to a maximum."""
    events = _page(connection, RawEvent.table, null(), number, most)
    withdrawn = _page(connection, WithdrawnEvent.table, WithdrawnEvent.c.event_number, number, most)
    return sorted(events + withdrawn)[:most]


def entries_between(connection: Connection, number: int, last: int) -> list[FeedEntry]:
    """The entries after a number, up to another one and with it."""
    return [entry for entry in entries_after(connection, number, last - number) if entry.number <= last]


def _page(connection: Connection, table: Table, came: ColumnElement[Any], number: int, most: int) -> list[FeedEntry]:
    columns = table.c.number, came, table.c.signature, table.c.slot, table.c.data
    page = select(*columns).where(table.c.number > number).order_by(table.c.number).limit(most)
    return [FeedEntry(*row) for row in connection.execute(page)]
