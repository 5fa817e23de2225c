"""Reads whole tables, and what is to be in them."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import Engine, Select, Table, select

from anchor_client.generated.program import PROGRAM_ID
from indexer.index.decode import decode
from indexer.index.transaction import Transaction
from indexer.models import Change, Intake, Progress, RawEvent, Record, TopicPosition, WithdrawnEvent
from indexer.store.events import Decoded

Row = TypeVar("Row", bound=Record)


def rows_of(engine: Engine, model: type[Row]) -> list[Row]:
    """All rows by key."""
    with engine.connect() as connection:
        found = connection.execute(select(model.table).order_by(*model.table.primary_key)).mappings()
        return [model(**row) for row in found]


def only(engine: Engine, model: type[Row]) -> Row:
    """The one row of a table."""
    [row] = rows_of(engine, model)
    return row


def names_of(transaction: Transaction) -> list[str]:
    """Names of the program's events in a transaction."""
    outcomes = decode(transaction, str(PROGRAM_ID))
    return [type(outcome.event).__name__ for outcome in outcomes if isinstance(outcome, Decoded)]


def contents(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of the schema, row by row, but for what other processes are told and the order of the intake."""
    told = (Change.table, Progress.table, Intake.table, WithdrawnEvent.table, TopicPosition.table)
    with engine.connect() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(_columns(table))]
            for table in Record.metadata.sorted_tables
            if table not in told
        }


def _columns(table: Table) -> Select[Any]:
    columns = [column for column in table.columns if column is not RawEvent.c.number]
    return select(*columns).order_by(*columns)
