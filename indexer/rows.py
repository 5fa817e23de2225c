"""The rows that one SQL transaction reads and changes.

A unit of work smaller and faster than an ORM session: records are loaded by key, many at a time, changed in place, and
written at the end with a few statements a table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Select, Update, bindparam, insert, select, tuple_, update

from indexer.models import Record

Row = TypeVar("Row", bound=Record)
Key = tuple[Any, ...]
Values = dict[str, Any]
KEYS_A_QUERY = 300


class Rows:
    """Records by kind and key, for the length of one transaction on `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[type[Record], dict[Key, Any]] = {}
        self._added: dict[type[Record], dict[Key, Any]] = {}
        self._changed: dict[type[Record], dict[Key, tuple[Record, Values]]] = {}
        """Rows that were read, with the values that they were read with."""

    def load(self, kind: type[Record], keys: Iterable[Key]) -> None:
        """Reads many rows at once; keys without a row are remembered as such."""
        known, names = self._known.setdefault(kind, {}), kind.c.keys()
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        for start in range(0, len(missing), KEYS_A_QUERY):
            part = missing[start : start + KEYS_A_QUERY]
            known.update(dict.fromkeys(part))
            for values in self._connection.execute(_with_keys(kind, part)):
                row = kind(**dict(zip(names, values, strict=True)))
                known[_key(row)] = row

    def find(self, kind: type[Row], *key: Any) -> Row | None:
        """A row to read, or None."""
        known = self._known.setdefault(kind, {})
        if key not in known:
            self.load(kind, [key])
        return cast("Row | None", known[key])

    def change(self, kind: type[Row], *key: Any) -> Row | None:
        """A row to change in place, or None."""
        row = self.find(kind, *key)
        if row is not None and key not in self._added.get(kind, ()):
            changed = self._changed.setdefault(kind, {})
            if key not in changed:
                changed[key] = row, vars(row).copy()
        return row

    def add(self, row: Record) -> None:
        """A row that does not exist yet; ValueError if it does in this transaction."""
        kind, key = type(row), _key(row)
        if self._known.setdefault(kind, {}).get(key) is not None:
            raise ValueError(f"{kind.__name__} {key} exists")
        self._known[kind][key] = row
        self._added.setdefault(kind, {})[key] = row

    def added(self, kind: type[Row]) -> Iterable[Row]:
        """The rows of a kind that are not written yet and did not exist before."""
        return cast("Iterable[Row]", self._added.get(kind, {}).values())

    def write(self) -> None:
        """Writes what was added and what has changed."""
        for kind, added in self._added.items():
            self._connection.execute(insert(kind.table), [vars(row) for row in added.values()])
        for kind, changed in self._changed.items():
            statement = _update(kind)
            for values in _alike(kind, changed.values()):
                self._connection.execute(statement, values)
        self._added.clear()
        self._changed.clear()


def _alike(kind: type[Record], changed: Iterable[tuple[Record, Values]]) -> Iterable[list[Values]]:
    """The new values of changed rows and their keys, in lists that name the same columns."""
    keys = [(name, f"key_{name}") for name in _key_names(kind)]
    lists: defaultdict[Key, list[Values]] = defaultdict(list)
    for row, before in changed:
        now = vars(row)
        values = {name: value for name, value in now.items() if value != before[name]}
        if values:
            names = tuple(values)
            values.update((key, now[name]) for name, key in keys)
            lists[names].append(values)
    return lists.values()


@cache
def _key_names(kind: type[Record]) -> tuple[str, ...]:
    return tuple(column.key for column in kind.table.primary_key)


def _key(row: Record) -> Key:
    values = vars(row)
    return tuple(values[name] for name in _key_names(type(row)))


def _with_keys(kind: type[Record], keys: Sequence[Key]) -> Select[*tuple[Any, ...]]:
    first, *others = kind.table.primary_key
    if others:
        return select(kind.table).where(tuple_(first, *others).in_(keys))
    return select(kind.table).where(first.in_([key[0] for key in keys]))


@cache
def _update(kind: type[Record]) -> Update:
    return update(kind.table).where(*(column == bindparam(f"key_{column.key}") for column in kind.table.primary_key))
