"""The rows that one SQL transaction reads and changes.

A unit of work smaller and faster than an ORM session: rows are loaded by key, many at a time, changed in place, and
written at the end with one statement a table. What is read is put past the ORM's attributes, which note every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Table, bindparam, insert, inspect, select, tuple_, update

from indexer.models.base import Table as Model

Row = TypeVar("Row", bound=Model)
Key = tuple[Any, ...]
KEYS_A_QUERY = 300


class Rows:
    """Rows by model and key, for the length of one transaction on `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[type[Model], dict[Key, Any]] = {}
        self._added: dict[type[Model], dict[Key, Any]] = {}
        self._changed: dict[type[Model], dict[Key, Any]] = {}

    def load(self, model: type[Model], keys: Iterable[Key]) -> None:
        """Reads many rows at once; keys without a row are remembered as such."""
        known = self._known.setdefault(model, {})
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        for start in range(0, len(missing), KEYS_A_QUERY):
            part = missing[start : start + KEYS_A_QUERY]
            known.update(dict.fromkeys(part))
            for row in self._select(model, part):
                known[_key(row)] = row

    def find(self, model: type[Row], *key: Any) -> Row | None:
        """A row to read, or None."""
        known = self._known.setdefault(model, {})
        if key not in known:
            self.load(model, [key])
        return cast("Row | None", known[key])

    def change(self, model: type[Row], *key: Any) -> Row | None:
        """A row to change in place, or None."""
        row = self.find(model, *key)
        if row is not None and key not in self._added.get(model, {}):
            self._changed.setdefault(model, {})[key] = row
        return row

    def add(self, row: Model) -> None:
        """A row that does not exist yet; ValueError if it does in this transaction."""
        model, key = type(row), _key(row)
        if self._known.setdefault(model, {}).get(key) is not None:
            raise ValueError(f"{model.__name__} {key} exists")
        self._known[model][key] = row
        self._added.setdefault(model, {})[key] = row

    def added(self, model: type[Row]) -> Iterable[Row]:
        """The rows of a model that are not written yet and did not exist before."""
        return cast("Iterable[Row]", self._added.get(model, {}).values())

    def write(self) -> None:
        """Writes what was added and changed."""
        for model, added in self._added.items():
            self._connection.execute(insert(_table(model)), [_values(row) for row in added.values()])
        for model, changed in self._changed.items():
            self._update(model, list(changed.values()))
        self._added.clear()
        self._changed.clear()

    def _select(self, model: type[Model], keys: Sequence[Key]) -> Iterable[Model]:
        table = _table(model)
        columns = list(table.primary_key)
        if len(columns) == 1:
            found = select(table).where(columns[0].in_([key[0] for key in keys]))
        else:
            found = select(table).where(tuple_(*columns).in_(keys))
        new_row = inspect(model).class_manager.new_instance
        names = _names(model)
        for values in self._connection.execute(found):
            row: Model = new_row()
            vars(row).update(zip(names, values, strict=True))
            yield row

    def _update(self, model: type[Model], rows: Sequence[Model]) -> None:
        table, keys = _table(model), {name: f"key_{name}" for name in _key_names(model)}
        statement = update(table).where(*(table.columns[name] == bindparam(key) for name, key in keys.items()))
        written = [_values(row) for row in rows]
        for values in written:
            for name, key in keys.items():
                values[key] = values.pop(name)
        self._connection.execute(statement, written)


def _table(model: type[Model]) -> Table:
    return cast(Table, model.__table__)


@lru_cache
def _names(model: type[Model]) -> tuple[str, ...]:
    return tuple(column.key for column in _table(model).columns)


@lru_cache
def _key_names(model: type[Model]) -> tuple[str, ...]:
    return tuple(column.key for column in _table(model).primary_key)


def _key(row: Model) -> Key:
    return tuple(getattr(row, name) for name in _key_names(type(row)))


@lru_cache
def _defaults(model: type[Model]) -> dict[str, Any]:
    return {column.key: getattr(column.default, "arg", None) for column in _table(model).columns}


def _values(row: Model) -> dict[str, Any]:
    """What a row holds by column; a new row keeps nothing of what is by default."""
    values = _defaults(type(row)) | vars(row)
    del values["_sa_instance_state"]
    return values
