"""Numbers what the index takes in, events and withdrawals, in the order of its commits: where a reader goes on."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from indexer.models import Cursor, Intake

ID_BYTES = 8


def take_numbers(connection: Connection, count: int) -> range:
    """The next numbers, for what is committed in this transaction, which has its turn to write (see `writing`)."""
    last = connection.execute(select(Intake.c.last)).scalar()
    if last is None:
        last = 0
        connection.execute(insert(Intake.table).values(id=secrets.token_hex(ID_BYTES), last=last))
    connection.execute(update(Intake.table).values(last=last + count))
    return range(last + 1, last + 1 + count)


class Newest(NamedTuple):
    """The place and the time, in unix seconds, of the newest transaction that was taken in."""

    slot: int
    time: int


def newest_of(connection: Connection) -> Newest:
    """Zeros before any."""
    row = connection.execute(select(func.max(Cursor.c.slot), func.max(Cursor.c.block_time))).one()
    return Newest(row[0] or 0, row[1] or 0)


def intake_of(connection: Connection) -> Intake:
    """The intake as it stands; without an id before anything was taken in."""
    row = connection.execute(select(Intake.table)).mappings().first()
    return Intake(id="", last=0) if row is None else Intake(**row)
