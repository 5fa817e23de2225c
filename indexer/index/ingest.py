"""Transactions into SQL: raw events, projections and cursor in one SQL transaction, each event once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Engine, select

from anchor_client.generated.program import PROGRAM_ID
from indexer import garbage
from indexer.changes.words import words_of
from indexer.changes.writer import write_changes
from indexer.index.decode import decode
from indexer.index.project import project
from indexer.index.transaction import Transaction
from indexer.metrics import (
    CURSOR_SLOT,
    DEAD_LETTERS,
    EVENTS,
    INGEST_SECONDS,
    SEQ_GAPS,
    TRANSACTIONS,
    WRITE_SECONDS,
)
from indexer.models import Cursor, DeadLetter, RawEvent
from indexer.store.database import writing
from indexer.store.events import Decoded, UnreadableEvent
from indexer.store.intake import take_numbers
from indexer.store.queries import keys_of
from indexer.store.raw_events import raw_event
from indexer.store.rows import Rows
from indexer.store.statements import insert_rows

BATCH = 8_000
"""Transactions in one SQL transaction: a row that many of them change is read and written once."""

QUIET = {Cursor.table.name}
"""No answer says how far the index has got but /health, which is never kept."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Ingested:
    """Result of a call."""

    events: int = 0
    dead_letters: int = 0
    gaps: dict[str, int] = field(default_factory=dict)
    late: int = 0
    """Events that do not stand behind the cursor in the chain; projections are only right after a rebuild."""


class OutOfOrder(ValueError):
    """Transactions were not given in the chain's order."""


@garbage.kept()
def ingest(
    transactions: Iterable[Transaction], engine: Engine, *, program: str = str(PROGRAM_ID), batch: int = BATCH
) -> Ingested:
    """Decodes transactions, given in the chain's order, and commits them `batch` at a time.

    Events that the database already has are skipped, so transactions may be given again.
    Raises OutOfOrder, or what the database raises; the batch it happened in leaves nothing behind.
    """
    total = Ingested()
    waiting: list[Transaction] = []
    for transaction in transactions:
        if waiting and _place(transaction) < _place(waiting[-1]):
            raise OutOfOrder(f"{transaction.signature} stands before {waiting[-1].signature}")
        waiting.append(transaction)
        if len(waiting) == batch:
            _commit(waiting, engine, program, total)
            waiting = []
    if waiting:
        _commit(waiting, engine, program, total)
    return total


def _commit(transactions: Sequence[Transaction], engine: Engine, program: str, total: Ingested) -> None:
    with INGEST_SECONDS.time():
        outcomes = [outcome for transaction in transactions for outcome in decode(transaction, program)]
        with writing(engine) as connection:
            # Read in the turn to write: another process may ingest the same transactions.
            known = set(keys_of(connection, {outcome.origin.signature: outcome.origin.slot for outcome in outcomes}))
            once = {outcome.origin.key: outcome for outcome in outcomes}
            fresh = [outcome for key, outcome in once.items() if key not in known]
            events = [outcome for outcome in fresh if isinstance(outcome, Decoded)]
            letters = [outcome for outcome in fresh if isinstance(outcome, UnreadableEvent)]
            cursor = connection.execute(select(Cursor.table).where(Cursor.c.source == program)).first()
            frontier = (-1, -1) if cursor is None else (cursor.slot, cursor.transaction_index)
            rows = Rows(connection, Pubkey.from_string(program))
            gaps = project(events, rows)
            late = sum(1 for event in events if (event.origin.slot, event.origin.transaction_index) <= frontier)
            began = time.perf_counter()
            if events:
                numbers = take_numbers(connection, len(events))
                insert_rows(connection, RawEvent, list(map(raw_event, events, numbers)))
            insert_rows(connection, DeadLetter, [_dead(letter) for letter in letters])
            # In the same transaction as the events: a crash can neither lose nor repeat any.
            _advance(rows, program, transactions[-1], frontier, stale=late > 0)
            # Before the rows are written, which forgets how they were.
            write_changes(connection, words_of(rows) - QUIET)
            rows.write()
        WRITE_SECONDS.observe(time.perf_counter() - began)
    total.late += late
    _report(transactions, events, letters, gaps, total)


def _advance(rows: Rows, program: str, last: Transaction, frontier: tuple[int, int], *, stale: bool) -> None:
    """Moves the cursor to the last transaction, never back."""
    cursor = rows.change(Cursor, program)
    if cursor is not None and stale:
        cursor.stale = True
    if _place(last) <= frontier:
        return
    if cursor is None:
        cursor = Cursor(
            source=program,
            slot=last.slot,
            transaction_index=last.index,
            signature=last.signature,
        )
        rows.add(cursor)
    cursor.slot = last.slot
    cursor.transaction_index = last.index
    cursor.signature = last.signature


def _report(
    transactions: Sequence[Transaction],
    events: Sequence[Decoded],
    letters: Sequence[UnreadableEvent],
    gaps: dict[str, int],
    total: Ingested,
) -> None:
    total.events += len(events)
    total.dead_letters += len(letters)
    TRANSACTIONS.inc(len(transactions))
    CURSOR_SLOT.set(transactions[-1].slot)
    for name, count in Counter(type(event.event).__name__ for event in events).items():
        EVENTS.labels(name).inc(count)
    for letter in letters:
        DEAD_LETTERS.inc()
        log.error("event cannot be read", key=letter.origin.key, error=str(letter.error))
    for kind, count in gaps.items():
        total.gaps[kind] = total.gaps.get(kind, 0) + count
        SEQ_GAPS.labels(kind).inc(count)
        log.error("events are missing", kind=kind, gaps=count, before_slot=transactions[-1].slot)


def _place(transaction: Transaction) -> tuple[int, int]:
    return transaction.slot, transaction.index


def _dead(letter: UnreadableEvent) -> dict[str, object]:
    error = {"error": type(letter.error).__name__, "detail": str(letter.error)}
    return {**letter.origin._asdict(), "data": letter.data, **error}
