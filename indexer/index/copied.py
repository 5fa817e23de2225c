"""SQLite's shadow tables: temporary ones, which nobody waits for, and their copies beside the real ones.

What a temporary table holds is copied a few rows at a time: each turn to write is short, and others have theirs before
the next. Triggers note the keys of what changes after that, which is copied in the same way. So the turn in which the
tables change their names finds little left to copy, however large they are.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, Index, Table
from sqlalchemy.schema import CreateIndex, CreateTable

from indexer.models import RECORDS, Projection
from indexer.store.database import begin_writing

SHADOW, REPLACED = "rebuilt_", "replaced_"
"""Prefixes of the names of the copies, of the tables that they have replaced, and of their indexes."""
TURN_SECONDS: Final = 0.015
"""Time after which a turn to write ends: a writer that has asked in vain asks again some milliseconds later."""
PAUSE_SECONDS: Final = 0.03
"""Time between two turns: SQLite keeps no queue, so others have to find it free when they ask."""
ROWS: Final = 50
"""Rows between two looks at the time."""
NAME: Final = r"""([\w$]+|"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\])"""
BETWEEN: Final = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
TABLE: Final = re.compile(rf"^CREATE TABLE {NAME}")
INDEX: Final = re.compile(rf"^CREATE (UNIQUE )?INDEX {NAME}{BETWEEN}ON{BETWEEN}{NAME}", re.IGNORECASE | re.DOTALL)
TRIGGERS: Final = "SELECT name, tbl_name FROM main.sqlite_schema WHERE type = 'trigger'"


def projections() -> Iterator[Table]:
    """The tables that are made of events."""
    return (record.table for record in RECORDS if issubclass(record, Projection))


class Copied:
    """The new tables on one connection, where temporary ones hide the real ones.

    `progressed` is called between turns to write.
    """

    def __init__(self, connection: Connection, progressed: Callable[[], object]) -> None:
        self._connection = connection
        self._progressed = progressed
        self._copying = False

    def make(self) -> None:
        self.clear()
        self._copying = False
        with self._connection.begin():
            for table in projections():
                self._run(f"DROP TABLE IF EXISTS temp.{table.name}", f"DROP TABLE IF EXISTS temp.pending_{table.name}")
                # SQLAlchemy would want a second definition for a temporary table, which might come to differ.
                self._run(self._made(table).replace("CREATE TABLE", "CREATE TEMPORARY TABLE", 1))
                self._run(*map(self._made, table.indexes))

    def finish(self) -> None:
        self._in_turns(map(self._make_copy, projections()))
        with self._connection.begin():
            for table in projections():
                self._note_changes(table)
        self._copying = True
        self.keep_up()

    def keep_up(self) -> None:
        """Copies what has changed since `finish`, which is nothing before it."""
        if self._copying:
            self._in_turns(self._copied())

    def swap(self) -> None:
        for _ in self._copied():
            pass
        _rename(self._connection)

    def clear(self) -> None:
        self._in_turns(self._removed())

    def _made(self, made: Table | Index) -> str:
        create = CreateTable(made) if isinstance(made, Table) else CreateIndex(made)
        return str(create.compile(dialect=self._connection.dialect)).strip()

    def _make_copy(self, table: Table) -> None:
        self._run(TABLE.sub(rf"CREATE TABLE main.{SHADOW}\1", self._made(table)))
        self._run(
            *(INDEX.sub(rf"CREATE \1INDEX main.{SHADOW}\2 ON {SHADOW}\3", self._made(each)) for each in table.indexes)
        )

    def _note_changes(self, table: Table) -> None:
        """Notes the keys of all rows, and from now on of each that changes: some several times."""
        name, keys = table.name, table.primary_key.columns.keys()
        self._run(
            f"CREATE TEMPORARY TABLE pending_{name} AS SELECT {_list(keys)} FROM temp.{name} ORDER BY {_list(keys)}"
        )
        for change, side in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            noted = f"INSERT INTO pending_{name} VALUES ({_list(f'{side}.{key}' for key in keys)})"
            self._run(
                f"CREATE TEMPORARY TRIGGER pending_{name}_{change} AFTER {change} ON temp.{name} BEGIN {noted}; END"
            )

    def _copied(self) -> Iterator[None]:
        """Copies a few rows at each step, until no change is left."""
        for table in projections():
            name, key, columns = table.name, _list(table.primary_key.columns.keys()), _list(table.columns.keys())
            first = f"SELECT min(rowid) FROM temp.pending_{name}"
            while (found := self._connection.exec_driver_sql(first).scalar()) is not None:
                last = found + ROWS
                pending = f"({key}) IN (SELECT {key} FROM temp.pending_{name} WHERE rowid < {last})"
                self._run(
                    f"DELETE FROM main.{SHADOW}{name} WHERE {pending}",
                    f"INSERT INTO main.{SHADOW}{name} ({columns}) SELECT {columns} FROM temp.{name} WHERE {pending}",
                    f"DELETE FROM temp.pending_{name} WHERE rowid < {last}",
                )
                yield

    def _removed(self) -> Iterator[None]:
        """Removes tables that are in nobody's use: a few rows at each step, since pages are freed one by one."""
        there = "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
        names = {prefix + table.name for table in projections() for prefix in (SHADOW, REPLACED)}
        for name in sorted(names.intersection(self._connection.exec_driver_sql(there).scalars())):
            columns = self._connection.exec_driver_sql(f"PRAGMA main.table_info({name})").mappings()
            key = _list([each["name"] for each in columns if each["pk"]] or ["rowid"])
            some = f"DELETE FROM main.{name} WHERE ({key}) IN (SELECT {key} FROM main.{name} LIMIT {ROWS})"
            while self._connection.exec_driver_sql(some).rowcount:
                yield
            self._run(f"DROP TABLE main.{name}")
            yield

    def _in_turns(self, steps: Iterator[None]) -> None:
        """Goes through steps that write, in short turns between which others have theirs."""
        more = True
        while more:
            with begin_writing(self._connection):
                ends = time.monotonic() + TURN_SECONDS
                while (more := next(steps, self) is not self) and time.monotonic() < ends:
                    pass
            self._progressed()
            if more:
                time.sleep(PAUSE_SECONDS)

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._connection.exec_driver_sql(statement)


def _rename(connection: Connection) -> None:
    """Gives the copies the real tables' names, and those other ones, within the open transaction.

    Raises DatabaseError if SQLite could not read the result; the transaction is to be undone then.

    In the way of "Making Other Kinds Of Table Schema Changes" of https://sqlite.org/lang_altertable.html: ALTER TABLE
    reads the whole schema for each of them, and keeps writers waiting for half a second.
    """
    names = {table.name for table in projections()}
    for name, table in connection.exec_driver_sql(TRIGGERS).all():
        if table in names:
            # Somebody else's: as on PostgreSQL it goes with its table, and SQLite would read it before the new one.
            connection.exec_driver_sql(f"DROP TRIGGER main.{_quoted(name)}")
    query = "SELECT rowid, name, tbl_name, sql FROM main.sqlite_schema WHERE type IN ('table', 'index')"
    renamed = []
    for row, name, table, sql in connection.exec_driver_sql(query).all():
        if table in names:
            renamed.append((*_renamed(name, table, sql, lambda known: REPLACED + known), row))
        elif table.removeprefix(SHADOW) in names:
            renamed.append((*_renamed(name, table, sql, lambda known: known.removeprefix(SHADOW)), row))
    version = connection.exec_driver_sql("PRAGMA main.schema_version").scalar_one()
    # What fails from here on ends with its connection.
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    connection.exec_driver_sql("UPDATE main.sqlite_schema SET name = ?, tbl_name = ?, sql = ? WHERE rowid = ?", renamed)
    connection.exec_driver_sql(f"PRAGMA main.schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = RESET")
    # Reads the schema again: what SQLite cannot read fails here, and is undone.
    connection.exec_driver_sql(query).close()


def _renamed(name: str, table: str, sql: str | None, to: Callable[[str], str]) -> tuple[str, str, str | None]:
    """Name, table and definition with other names; SQLite's own indexes are named after their table and have none."""
    if sql is None:
        return name.replace(table, to(table), 1), to(table), None
    if name == table:
        return to(name), to(table), TABLE.sub(lambda _: f"CREATE TABLE {_quoted(to(name))}", sql)
    return (
        to(name),
        to(table),
        INDEX.sub(lambda found: f"CREATE {found[1] or ''}INDEX {_quoted(to(name))} ON {to(table)}", sql),
    )


def _quoted(name: str) -> str:
    """A name as SQL has it; one of ours as it is."""
    return name if re.fullmatch(r"\w+", name) else '"' + name.replace('"', '""') + '"'


def _list(names: Iterable[Any]) -> str:
    return ", ".join(names)
