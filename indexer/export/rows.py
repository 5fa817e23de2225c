"""Events as rows of a file, and the hash that tells whether two series of rows are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, select

from indexer.models import RawEvent
from indexer.store.event_json import in_json
from indexer.store.events import Origin, UnreadableEvent, read, time_of

PAGE = 5_000


class EventRow(NamedTuple):
    """A raw event, with what can be read in it."""

    number: int
    slot: int
    transaction_index: int
    instruction_index: int
    inner_index: int
    signature: str
    name: str
    time: int | None
    """Unix seconds of the program's clock; None if this version cannot read the event."""
    fields: str | None
    """JSON as the feed has it; None likewise."""
    data: bytes


class RowsHash:
    """SHA-256 of rows, each as MessagePack, in their order."""

    def __init__(self) -> None:
        self._raw = sha256()
        self._whole = sha256()
        self.rows = 0

    def add(self, rows: Iterable[EventRow]) -> None:
        """Adds rows."""
        for row in rows:
            # Without what a version reads in an event: another one may read more.
            self._raw.update(msgspec.msgpack.encode(tuple(row._replace(time=None, fields=None))))
            self._whole.update(msgspec.msgpack.encode(tuple(row)))
            self.rows += 1

    @property
    def raw(self) -> str:
        """The hash of what the database has of them."""
        return self._raw.hexdigest()

    @property
    def whole(self) -> str:
        """The hash of all columns."""
        return self._whole.hexdigest()


def pages_of(
    connection: Connection, after: int, *, until: int | None = None, most: int | None = None
) -> Iterator[list[EventRow]]:
    """Events behind number `after` in order, up to number `until` and `most` of them, a page at a time."""
    left = most
    while left is None or left > 0:
        wanted = select(RawEvent.table).where(RawEvent.c.number > after).order_by(RawEvent.c.number)
        if until is not None:
            wanted = wanted.where(RawEvent.c.number <= until)
        found = connection.execute(wanted.limit(PAGE if left is None else min(PAGE, left))).mappings().all()
        if not found:
            return
        yield [_row(RawEvent(**each)) for each in found]
        after = found[-1]["number"]
        left = None if left is None else left - len(found)


def _row(raw: RawEvent) -> EventRow:
    found = read(Origin(*(getattr(raw, name) for name in Origin._fields)), raw.data)
    event = None if isinstance(found, UnreadableEvent) else found.event
    return EventRow(
        raw.number,
        raw.slot,
        raw.transaction_index,
        raw.instruction_index,
        raw.inner_index,
        raw.signature,
        raw.name,
        None if event is None else time_of(event),
        None if event is None else msgspec.json.encode(in_json(event)).decode(),
        raw.data,
    )
