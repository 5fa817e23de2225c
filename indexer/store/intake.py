"""Numbers what the index takes in, events and withdrawals, in the order of its commits: a reader resumes there."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, func, insert, select, update

from indexer.models import Cursor, Intake, RawEvent
from indexer.store.events import Decoded, Origin, read, time_of

ID_BYTES = 8
NOWHERE = Origin("", 0, 0, 0, 0)
"""Place of an event of which only the contents matter."""


def take_numbers(connection: Connection, count: int) -> range:
    """The next numbers, for what is committed in this transaction, which has its turn to write (see `writing`)."""
    last = connection.execute(select(Intake.c.last)).scalar()
    if last is None:
        last = 0
        connection.execute(insert(Intake.table).values(id=secrets.token_hex(ID_BYTES), last=last))
    connection.execute(update(Intake.table).values(last=last + count))
    return range(last + 1, last + 1 + count)


def newest_slot(connection: Connection) -> int:
    """Slot of the newest transaction that was taken in; 0 before any."""
    return connection.execute(select(func.max(Cursor.c.slot))).scalar() or 0


def newest_time(connection: Connection) -> int:
    """Unix seconds of the newest event that was taken in, by the program's clock; 0 before any."""
    data = connection.execute(select(RawEvent.c.data).order_by(RawEvent.c.number.desc()).limit(1)).scalar()
    if data is None:
        return 0
    outcome = read(NOWHERE, data)
    return time_of(outcome.event) if isinstance(outcome, Decoded) else 0


def intake_of(connection: Connection) -> Intake:
    """The intake as it stands; without an id before anything was taken in."""
    row = connection.execute(select(Intake.table)).mappings().first()
    return Intake(id="", last=0) if row is None else Intake(**row)
