"""Rows by their keys, many in one statement: the keys are one parameter, or on PostgreSQL one for each column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Boolean, Connection, Dialect

from indexer.models import Record
from indexer.models.base import Unsigned
from indexer.store.statements import Names, Values, type_names

Key: TypeAlias = tuple[Any, ...]


class _Lookup(NamedTuple):
    """A statement, what makes its parameters of keys, and the columns that the driver gives in another type."""

    statement: str
    bound: Callable[[Sequence[Key]], tuple[Any, ...]]
    numbers: Names
    flags: Names


def find_rows(connection: Connection, kind: type[Record], keys: Sequence[Key]) -> Iterator[Values]:
    """The rows that have one of these keys, in no order."""
    names = kind.c.keys()
    lookup = _lookup(kind, connection.dialect)
    for row in connection.exec_driver_sql(lookup.statement, lookup.bound(keys)).all():
        values = dict(zip(names, row, strict=True))
        for name in lookup.numbers:
            # SQLite's integers have 63 bits: what is larger is kept as text.
            if values[name].__class__ is str:
                values[name] = int(values[name])
        # It has no booleans either.
        for name in lookup.flags:
            values[name] = bool(values[name])
        yield values


@lru_cache(maxsize=1_024)
def _lookup(kind: type[Record], dialect: Dialect) -> _Lookup:
    table = kind.table.name
    keys = kind.key_names()
    columns = ", ".join(f"{table}.{column.name}" for column in kind.c)
    if dialect.name == "postgresql":
        arrays = ", ".join(f"%s::{name}[]" for name in type_names([kind.c[key] for key in keys], dialect))
        places = " AND ".join(f"{table}.{key} = wanted.{key}" for key in keys)
        wanted = f"unnest({arrays}) AS wanted ({', '.join(keys)})"
        return _Lookup(f"SELECT {columns} FROM {wanted} JOIN {table} ON {places}", _by_column, (), ())
    places = " AND ".join(f"{table}.{key} = json_extract(wanted.value, '$[{index}]')" for index, key in enumerate(keys))
    return _Lookup(
        # Of a cross join SQLite reads the left side first.
        f"SELECT {columns} FROM json_each(?) AS wanted CROSS JOIN {table} ON {places}",
        _in_json(kind, dialect),
        tuple(column.name for column in kind.c if isinstance(column.type, Unsigned)),
        tuple(column.name for column in kind.c if isinstance(column.type, Boolean)),
    )


def _by_column(keys: Sequence[Key]) -> tuple[Any, ...]:
    return tuple(map(list, zip(*keys, strict=True)))


def _in_json(kind: type[Record], dialect: Dialect) -> Callable[[Sequence[Key]], tuple[Any, ...]]:
    columns = [kind.c[name] for name in kind.key_names()]
    binds = {
        index: column.type.bind_processor(dialect)
        for index, column in enumerate(columns)
        if isinstance(column.type, Unsigned)
    }

    def bound(keys: Sequence[Key]) -> tuple[Any, ...]:
        if binds:
            keys = [
                tuple(binds[index](value) if index in binds else value for index, value in enumerate(key))
                for key in keys
            ]
        return (msgspec.json.encode(keys).decode(),)

    return bound
