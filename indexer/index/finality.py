"""Confirmed transactions that did not become final: found once the chain is final beyond them, and withdrawn.

A transaction is only withdrawn when two looks, the second at a later final slot, both fail to find it where it was.
"""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, func, literal, or_, select, update

from indexer.index.sources.history import History, Listed
from indexer.metrics import WITHDRAWN
from indexer.models import Cursor, DeadLetter, RawEvent, WithdrawnEvent
from indexer.store.database import writing
from indexer.store.intake import take_numbers
from indexer.store.statements import among, insert_rows

Place = tuple[int, int]

log = structlog.get_logger(__name__)


class Finality:
    """Compares what was read at the confirmed commitment with what `final`, a source of final ones, lists."""

    def __init__(self, engine: Engine, final: History, program: str) -> None:
        self._engine = engine
        self._final = final
        self._program = program
        self._doubted: dict[str, int] = {}
        """Final slots at which a transaction was not where it had been."""

    def has_open(self) -> bool:
        """True where something was read that is not known to be final."""
        newest = select(func.max(RawEvent.c.slot))
        with self._engine.connect() as connection:
            return (connection.execute(newest).scalar() or 0) > self._since(connection)

    def settled_slot(self) -> int:
        """Slot up to which everything that was read is known to be final."""
        with self._engine.connect() as connection:
            return self._since(connection)

    async def settle(self, final_slot: int) -> list[Listed]:
        """Withdraws what vanished up to a final slot; gives what is listed there and not known.

        Raises the node's failures.
        """
        with self._engine.connect() as connection:
            since = self._since(connection)
            known = self._known(connection, since, final_slot)
        listed = [entry for entry in await self._final.list_since(since + 1, final_slot) if not entry.failed]
        places = {entry.signature: entry.place for entry in listed}
        doubted = {signature: place for signature, place in known.items() if places.get(signature) != place}
        vanished = {each for each in doubted if self._doubted.get(each, final_slot) < final_slot}
        self._doubted = {each: self._doubted.get(each, final_slot) for each in doubted.keys() - vanished}
        open_slots = (doubted[signature][0] for signature in self._doubted)
        # What is in doubt holds the mark back, but never to before what was settled.
        settled = max(min(open_slots, default=final_slot + 1) - 1, since)
        self._write({each: known[each] for each in sorted(vanished)}, settled)
        return [entry for entry in listed if entry.signature not in known or entry.signature in vanished]

    def _write(self, vanished: Mapping[str, Place], settled: int) -> None:
        with writing(self._engine) as connection:
            # Before the events are deleted, of which it is a copy.
            _note_withdrawn(connection, _of(RawEvent, connection, vanished))
            for record in (RawEvent, DeadLetter):
                connection.execute(delete(record.table).where(_of(record, connection, vanished)))
            cursor = update(Cursor.table).where(Cursor.c.source == self._program)
            connection.execute(cursor.values(final_slot=settled, stale=or_(Cursor.c.stale, literal(bool(vanished)))))
        for signature in vanished:
            log.warning("a confirmed transaction did not become final", signature=signature)
        WITHDRAWN.inc(len(vanished))

    def _since(self, connection: Connection) -> int:
        settled = select(Cursor.c.final_slot).where(Cursor.c.source == self._program)
        return connection.execute(settled).scalar() or 0

    def _known(self, connection: Connection, since: int, until: int) -> dict[str, Place]:
        known: dict[str, Place] = {}
        for record in (RawEvent, DeadLetter):
            places = select(record.c.signature, record.c.slot, record.c.transaction_index).distinct()
            rows = connection.execute(places.where(record.c.slot.between(since + 1, until)))
            known |= {signature: (slot, index) for signature, slot, index in rows}
        return known


def _of(
    record: type[RawEvent] | type[DeadLetter], connection: Connection, transactions: Mapping[str, Place]
) -> ColumnElement[bool]:
    # By their slots, which an index has; the signatures alone would be looked for in every row.
    slots = among(connection, record.c.slot, [slot for slot, _ in transactions.values()])
    return and_(slots, among(connection, record.c.signature, list(transactions)))


def _note_withdrawn(connection: Connection, which: ColumnElement[bool]) -> None:
    """Keeps some events, to tell that they are withdrawn, the last of them first."""
    events = select(RawEvent.table).where(which).order_by(RawEvent.c.number.desc())
    found = connection.execute(events).mappings().all()
    names = [column.key for column in WithdrawnEvent.c if column.key != "event_number"]
    noted = [
        {**{name: event[name] for name in names}, "event_number": event["number"], "number": number}
        for event, number in zip(found, take_numbers(connection, len(found)), strict=True)
    ]
    insert_rows(connection, WithdrawnEvent, noted)
