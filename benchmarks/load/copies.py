"""An index with many more ended rentals than were recorded: copies of them, each with an address of its own.

A cluster would take hours to execute them. What is asked of one takes as long as of any other.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.schema import CreateIndex, DropIndex

from anchor_idl.base58 import ALPHABET
from indexer.models import Record, Rental, RentalState, Settlement
from indexer.store.database import begin_writing

OLDER_SECONDS: Final = 100_000
"""Seconds by which each copy is older than the next."""
LETTERS: Final = 3
"""At the end of an address, which say which copy it is of, as no address ends."""
KINDS: Final[tuple[tuple[type[Record], str, str], ...]] = (
    (Rental, "address", "created_at"),
    (RentalState, "rental", "since"),
    (Settlement, "rental", "since"),
)


def copy_ended_rentals(engine: Engine, copies: int) -> None:
    """Adds copies of all rentals, each of which has ended, and of their events; on SQLite."""
    with engine.connect() as connection:
        with begin_writing(connection):
            for index in Rental.table.indexes:
                connection.execute(DropIndex(index))
            for kind, address, _ in KINDS:
                name = kind.table.name
                connection.exec_driver_sql(
                    f"CREATE TEMPORARY TABLE original_{name} AS SELECT * FROM {name} ORDER BY {address}"
                )
        for number in range(copies, 0, -1):
            with begin_writing(connection):
                _copy(connection, number)
        with begin_writing(connection):
            for index in Rental.table.indexes:
                connection.execute(CreateIndex(index))
            for kind, *_ in KINDS:
                connection.exec_driver_sql(f"DROP TABLE original_{kind.table.name}")


def _copy(connection: Connection, number: int) -> None:
    for kind, address, opened_at in KINDS:
        changed = {
            address: f"substr({address}, 1, length({address}) - {LETTERS}) || '0{_letters(number)}'",
            opened_at: f"{opened_at} - {OLDER_SECONDS * number}",
        }
        name = kind.table.name
        columns = kind.c.keys()
        values = ", ".join(changed.get(column, column) for column in columns)
        connection.exec_driver_sql(f"INSERT INTO {name} ({', '.join(columns)}) SELECT {values} FROM original_{name}")


def _letters(number: int) -> str:
    high, low = divmod(number, len(ALPHABET))
    return ALPHABET[high] + ALPHABET[low]
