"""The rows that one SQL transaction reads and changes.

A unit of work smaller and faster than an ORM session: records are loaded by key, many at a time, changed in place, and
written at the end with a few statements a table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar, cast

from solders.pubkey import Pubkey
from sqlalchemy import Connection

from anchor_client.generated.program import PROGRAM_ID
from indexer.models import Record
from indexer.store.lookups import Key, find_rows
from indexer.store.statements import Values, insert_rows, update_rows

Row = TypeVar("Row", bound=Record)


class _Known:
    """The rows of a kind by key."""

    __slots__ = ("added", "changed", "rows")

    def __init__(self) -> None:
        self.rows: dict[Key, Any] = {}
        self.added: dict[Key, Any] = {}
        self.changed: dict[Key, Values] = {}
        """The values that rows were read with which may have others by now."""


class Rows:
    """Records by kind and key, for the length of one transaction on `connection`; of the market of `program`."""

    def __init__(self, connection: Connection, program: Pubkey = PROGRAM_ID) -> None:
        self.program = program
        self._connection = connection
        self._kinds: defaultdict[type[Record], _Known] = defaultdict(_Known)
        self._sums: defaultdict[type[Record], dict[Key, dict[str, int]]] = defaultdict(dict)

    def load(self, kind: type[Record], keys: Iterable[Key]) -> None:
        """Reads many rows together; keys without a row are remembered as such."""
        known = self._kinds[kind].rows
        key_of = _getter(kind)
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if not missing:
            return
        known.update(dict.fromkeys(missing))
        for values in find_rows(self._connection, kind, missing):
            known[key_of(values)] = kind.of(values)

    def find(self, kind: type[Row], *key: Any) -> Row | None:
        """A row to read, or None."""
        known = self._kinds[kind].rows
        if key not in known:
            self.load(kind, [key])
        return cast("Row | None", known[key])

    def change(self, kind: type[Row], *key: Any) -> Row | None:
        """A row to change in place, or None."""
        known = self._kinds[kind]
        if key not in known.rows:
            self.load(kind, [key])
        row = known.rows[key]
        if row is not None and key not in known.changed and key not in known.added:
            known.changed[key] = vars(row).copy()
        return cast("Row | None", row)

    def add(self, row: Record) -> None:
        """A row that does not exist yet; ValueError if it does in this transaction."""
        known = self._kinds[type(row)]
        key = _getter(type(row))(vars(row))
        if known.rows.get(key) is not None:
            raise ValueError(f"{type(row).__name__} {key} exists")
        known.rows[key] = known.added[key] = row

    def add_up(self, kind: type[Record], key: Key, **amounts: int) -> None:
        """Adds to columns of a row, which is made if it does not exist: done for all at once by `sum_up`."""
        sums = self._sums[kind].setdefault(key, amounts)
        if sums is not amounts:
            for name, amount in amounts.items():
                sums[name] = sums.get(name, 0) + amount

    def take_sums(self, kind: type[Record]) -> Mapping[Key, Mapping[str, int]]:
        """Removes the sums of a kind that `add_up` has kept, and returns them: their keys need not be rows'."""
        return self._sums.pop(kind, {})

    def sum_up(self) -> None:
        """Does what `add_up` was told."""
        for kind, sums in self._sums.items():
            self.load(kind, sums)
            for key, amounts in sums.items():
                row = self.change(kind, *key)
                if row is None:
                    self.add(kind(**dict(zip(kind.key_names(), key, strict=True)), **amounts))
                else:
                    vars(row).update({name: vars(row)[name] + amount for name, amount in amounts.items()})
        self._sums.clear()

    def added(self, kind: type[Row]) -> Iterable[Row]:
        """The rows of a kind that are not written yet and did not exist before."""
        return cast("Iterable[Row]", self._kinds[kind].added.values())

    def changed(self, kind: type[Row]) -> Iterable[tuple[Values | None, Row]]:
        """The rows of a kind that are added, or have other values than the ones beside them; before `write`."""
        known = self._kinds[kind]
        yield from ((None, row) for row in known.added.values())
        for key, before in known.changed.items():
            if before != vars(known.rows[key]):
                yield before, known.rows[key]

    @property
    def kinds(self) -> Iterable[type[Record]]:
        """The kinds that rows are known of."""
        return tuple(self._kinds)

    def write(self) -> None:
        """Writes what was added and what has changed."""
        for kind, known in self._kinds.items():
            insert_rows(self._connection, kind, [vars(row) for row in known.added.values()])
            changed = [(before, vars(known.rows[key])) for key, before in known.changed.items()]
            update_rows(self._connection, kind, changed)
            known.added.clear()
            known.changed.clear()


@cache
def _getter(kind: type[Record]) -> Callable[[Values], Key]:
    names = kind.key_names()
    return itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)
