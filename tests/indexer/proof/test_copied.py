"""SQLite's tables that change places while others write: turns, names, leftovers. Invariant IDX-4."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DatabaseError

from indexer.index import copied
from indexer.index.copied import Copied
from indexer.index.ingest import ingest
from indexer.index.rebuild import is_stale, rebuild
from tests.indexer.busy import busy
from tests.indexer.tables import contents
from tests.markets.recorded import Market

STOPS = 6
Definition = tuple[str, str, str, str]


def definitions(engine: Engine) -> set[Definition]:
    """Every table and index, with its definition."""
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
        found = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_schema"))
        return {(kind, name, table, re.sub(r"\s+", " ", sql or "").strip()) for kind, name, table, sql in found}


def page_of_rentals(engine: Engine) -> int:
    """Number of the first page of the table of rentals, another one once it has been replaced."""
    with engine.connect() as connection:
        return int(connection.execute(text("SELECT rootpage FROM sqlite_schema WHERE name = 'rental'")).scalar_one())


@pytest.fixture
def in_single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends each turn to write after one row."""
    for name, value in (("TURN_SECONDS", 0), ("PAUSE_SECONDS", 0), ("ROWS", 1)):
        monkeypatch.setattr(copied, name, value)


def test_swap__tables_and_indexes__are_as_migrations_made_them(market: Market, sqlite_engine: Engine) -> None:
    busy(market)
    ingest(market.transactions(), sqlite_engine)
    engine, known, page = sqlite_engine, definitions(sqlite_engine), page_of_rentals(sqlite_engine)
    rows = contents(engine)
    for _ in range(2):
        rebuild(engine)
        assert definitions(engine) == known and contents(engine) == rows
    assert page_of_rentals(engine) != page
    assert {name for _, name, _, _ in known} >= {"rental", "sqlite_autoindex_rental_1", "ix_rental_contest_by"}


def test_copied__others_write_between_any_two_turns__are_in_it(
    market: Market, sqlite_engine: Engine, in_single_steps: None
) -> None:
    busy(market)
    engine, transactions = sqlite_engine, market.transactions()
    half = len(transactions) // 2
    ingest(transactions[:half], engine)
    waiting = iter(transactions[half:])
    arrived: list[object] = []

    def arrive() -> None:
        arrived.append(ingest([one], engine) if (one := next(waiting, None)) else 0)

    rebuild(engine, arrive)
    assert next(waiting, None) is None and len(arrived) > len(transactions)
    whole = contents(engine)
    rebuild(engine)
    assert contents(engine) == whole and not is_stale(engine)


def test_swap__nothing_came_since_the_last_look__finds_nothing_to_copy(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    ingest(market.transactions(), sqlite_engine)
    swap, left = Copied.swap, []

    def watched(self: Copied) -> None:
        left.append(sum(1 for _ in self._copied()))
        swap(self)

    monkeypatch.setattr(Copied, "swap", watched)
    rebuild(sqlite_engine)
    assert left == [0]


def test_rebuild__stopped_at_any_turn__leaves_nothing_behind_in_the_next(
    market: Market, sqlite_engine: Engine, in_single_steps: None
) -> None:
    ingest(market.transactions(), sqlite_engine)
    engine, known, before = sqlite_engine, definitions(sqlite_engine), contents(sqlite_engine)
    rebuilt = {name: rows for name, rows in before.items() if name != "projection_version"}
    turns: list[int] = []
    rebuild(engine, lambda: turns.append(len(turns)))

    def stopped(now: Callable[[], bool]) -> None:
        def fail() -> None:
            if now():
                raise RuntimeError("power")

        with pytest.raises(RuntimeError, match="power"):
            rebuild(engine, fail)
        assert {name: contents(engine)[name] for name in rebuilt} == rebuilt

    for stop in turns[:: len(turns) // STOPS]:
        beats = iter(range(stop))
        stopped(lambda beats=beats: next(beats, None) is None)  # type: ignore[misc]
    page = page_of_rentals(engine)
    stopped(lambda: page_of_rentals(engine) != page)
    assert not is_stale(engine) and definitions(engine) != known, "it ended between swap and removal"
    rebuild(engine)
    assert definitions(engine) == known and contents(engine) == before


OF_OTHERS = (
    "create index own on rental (status)",
    "CREATE UNIQUE INDEX [own-2]\n ON [rental] (address) -- theirs",
    'create index "own ""3" on/* their */"rental"(lower(status)) where status = \'rental\'',
    "create trigger own_trigger after insert on rental begin select 1; end",
    "create view own_view as select address from rental",
)
"""Definitions that people have made on a table of ours, in their words."""


def test_swap__indexes_and_triggers_of_others__are_gone_and_all_can_be_read(
    market: Market, sqlite_engine: Engine
) -> None:
    ingest(market.transactions(), sqlite_engine)
    engine, known, before = sqlite_engine, definitions(sqlite_engine), contents(sqlite_engine)
    with engine.begin() as connection:
        for sql in OF_OTHERS:
            connection.execute(text(sql))
    rebuild(engine)
    assert {name for _, name, _, _ in definitions(engine) - known} == {"own_view"} and known <= definitions(engine)
    assert contents(engine) == before


def test_swap__what_it_has_renamed_cannot_be_read__is_undone(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(market.transactions(), sqlite_engine)
    engine, before, page = sqlite_engine, contents(sqlite_engine), page_of_rentals(sqlite_engine)
    renamed = copied._renamed

    def half_renamed(name: str, table: str, sql: str | None, to: Callable[[str], str]) -> tuple[str, str, str | None]:
        return (*renamed(name, table, sql, to)[:2], sql)

    with monkeypatch.context() as patched, pytest.raises(DatabaseError, match="malformed"):
        patched.setattr(copied, "_renamed", half_renamed)
        rebuild(engine)
    assert page_of_rentals(engine) == page and is_stale(engine)
    rebuild(engine)
    assert page_of_rentals(engine) != page and contents(engine) == before


def test_swap__definitions_in_other_words__get_other_names() -> None:
    def to(name: str) -> str:
        return copied.REPLACED + name

    for sql in ("CREATE TABLE rental (id", 'CREATE TABLE "rental" (id', "CREATE TABLE 'rental' (id"):
        assert copied._renamed("rental", "rental", sql, to)[2] == "CREATE TABLE replaced_rental (id"
    for unique in ("", "UNIQUE "):
        sql = f'CREATE {unique}INDEX ix_rental_id ON "rental" (id) WHERE id > 1'
        renamed = f"CREATE {unique}INDEX replaced_ix_rental_id ON replaced_rental (id) WHERE id > 1"
        assert copied._renamed("ix_rental_id", "rental", sql, to) == (
            "replaced_ix_rental_id",
            "replaced_rental",
            renamed,
        )
    sql = "CREATE INDEX [own 1]\n\ton/**/`rental` (id)"
    assert copied._renamed("own 1", "rental", sql, to)[2] == 'CREATE INDEX "replaced_own 1" ON replaced_rental (id)'
    own = "sqlite_autoindex_rental_1"
    assert copied._renamed(own, "rental", None, to) == ("sqlite_autoindex_replaced_rental_1", "replaced_rental", None)
