"""Statements of whole tables in the driver's own words: their SQL is made once, and values are bound in plain tuples.

SQLite runs a statement for each row. PostgreSQL takes rows by COPY: new ones into their table, changed ones into a
temporary table that is then merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import ARRAY, JSON, Column, ColumnElement, Connection, Dialect, any_, func, literal, select

from indexer.models import Record
from indexer.models.base import SQLITE_INTEGERS, Unsigned
from indexer.store.database import COPY_TYPES

STREAM = "FROM STDIN (FORMAT BINARY)"
"""Takes two thirds of the time of text here, and half of the server's."""

T = TypeVar("T")
Options: TypeAlias = dict[str, Any]
Names: TypeAlias = tuple[str, ...]
Values: TypeAlias = dict[str, Any]
"""A row's columns by name."""
Bound: TypeAlias = Callable[[Iterable[Values]], list[tuple[Any, ...]]]
"""Makes a statement's parameters of rows."""


def among(connection: Connection, column: Column[T], values: Sequence[T]) -> ColumnElement[bool]:
    """Condition that a column is one of many values, which are one parameter however many they are."""
    if connection.dialect.name == "sqlite":
        return column.in_(select(func.json_each(literal(values, JSON)).table_valued("value").c.value))
    return column == any_(literal(values, ARRAY(column.type)))


def insert_rows(connection: Connection, kind: type[Record], rows: Collection[Values]) -> None:
    """Inserts rows, each with a value for every column."""
    if rows:
        statement, bound, options = _insertion(kind, connection.dialect)
        connection.exec_driver_sql(statement, bound(rows), execution_options=options)


def update_rows(connection: Connection, kind: type[Record], rows: Iterable[tuple[Values, Values]]) -> None:
    """Updates rows, each given as it was read and as it is now, by their keys; those that are the same are let be."""
    changed = [(before, now) for before, now in rows if before != now]
    if not changed:
        return
    if connection.dialect.name == "postgresql":
        _merge(connection, kind, [now for _, now in changed])
        return
    alike: defaultdict[Names, list[Values]] = defaultdict(list)
    for before, now in changed:
        alike[tuple([name for name, value in now.items() if value != before[name]])].append(now)
    for names, part in alike.items():
        statement, bound = _update(kind, names, connection.dialect)
        connection.exec_driver_sql(statement, bound(part))


def _merge(connection: Connection, kind: type[Record], rows: Sequence[Values]) -> None:
    """One statement for all, whatever has changed: an index is left alone when its columns' values are the same."""
    create, copy, merge, bound, options = _merging(kind, connection.dialect)
    connection.exec_driver_sql(create)
    connection.exec_driver_sql(copy, bound(rows), execution_options=options)
    connection.exec_driver_sql(merge)


@lru_cache(maxsize=1_024)
def _insertion(kind: type[Record], dialect: Dialect) -> tuple[str, Bound, Options]:
    names = tuple(kind.c.keys())
    table = kind.table.name
    columns = ", ".join(names)
    if dialect.name == "postgresql":
        return f"COPY {table} ({columns}) {STREAM}", _bound(kind, names, dialect), _copied(kind, dialect)
    return f"INSERT INTO {table} ({columns}) VALUES ({_marks(names)})", _bound(kind, names, dialect), {}


@lru_cache(maxsize=8_192)
def _update(kind: type[Record], names: Names, dialect: Dialect) -> tuple[str, Bound]:
    keys = kind.key_names()
    changes = ", ".join(f"{name}=?" for name in names)
    places = " AND ".join(f"{key}=?" for key in keys)
    return f"UPDATE {kind.table.name} SET {changes} WHERE {places}", _bound(kind, (*names, *keys), dialect)


@lru_cache(maxsize=1_024)
def _merging(kind: type[Record], dialect: Dialect) -> tuple[str, str, str, Bound, Options]:
    table = kind.table.name
    names = tuple(kind.c.keys())
    keys = kind.key_names()
    staged = f"staged_{table}"
    changes = ", ".join(f"{name}=taken.{name}" for name in names if name not in keys)
    places = " AND ".join(f"{table}.{key}=taken.{key}" for key in keys)
    return (
        # Kept by the connection: a new table for each transaction would bloat PostgreSQL's catalog.
        f"CREATE TEMPORARY TABLE IF NOT EXISTS {staged} (LIKE {table}) ON COMMIT DELETE ROWS",
        f"COPY {staged} ({', '.join(names)}) {STREAM}",
        # Emptied as it is read, since one transaction may merge several times.
        f"WITH taken AS (DELETE FROM {staged} RETURNING *) UPDATE {table} SET {changes} FROM taken WHERE {places}",
        _bound(kind, names, dialect),
        _copied(kind, dialect),
    )


def _copied(kind: type[Record], dialect: Dialect) -> Options:
    """The types of COPY's columns by the names that psycopg knows."""
    return {COPY_TYPES: type_names(kind.c, dialect)}


def type_names(columns: Iterable[Column[Any]], dialect: Dialect) -> list[str]:
    """PostgreSQL's names of the columns' types, without their sizes."""
    return [column.type.compile(dialect).partition("(")[0].lower() for column in columns]


def _bound(kind: type[Record], names: Names, dialect: Dialect) -> Bound:
    """Takes the columns of these names out of rows; all but large unsigned integers are as the driver takes them."""
    pick: Callable[[Values], tuple[Any, ...]] = (
        itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)
    )
    unsigned = [
        (index, convert)
        for index, name in enumerate(names)
        if isinstance(kind.c[name].type, Unsigned)
        and (convert := kind.c[name].type.bind_processor(dialect)) is not None
    ]
    if not unsigned:
        return lambda rows: list(map(pick, rows))

    def bound(rows: Iterable[Values]) -> list[tuple[Any, ...]]:
        parameters = []
        for row in rows:
            values = pick(row)
            for index, convert in unsigned:
                value = values[index]
                if value is None or not 0 <= value < SQLITE_INTEGERS:
                    values = (*values[:index], convert(value), *values[index + 1 :])
            parameters.append(values)
        return parameters

    return bound


def _marks(names: Names) -> str:
    return ", ".join("?" * len(names))
