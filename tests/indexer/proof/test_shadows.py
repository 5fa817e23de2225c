"""Tables that change places while others read, write, start and rebuild. Invariant IDX-4."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, func, select, text

from indexer.accounts.database import migrate_accounts
from indexer.index import rebuild as rebuild_module
from indexer.index import shadows
from indexer.index.ingest import ingest
from indexer.index.rebuild import is_stale, rebuild
from indexer.models import RawEvent, Rental
from indexer.store.database import WRITERS_LOCK, migrate, writing
from tests.indexer.busy import busy
from tests.indexer.databases import ON_POSTGRES, on_both_databases
from tests.indexer.proof.test_rebuild import before_turn
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE

pytestmark = [*ON_POSTGRES]
DEFINITIONS = """
SELECT c.relname, c.relkind::text, pg_get_indexdef(c.oid), (SELECT array_agg(conname::text ORDER BY conname)
  FROM pg_constraint WHERE conrelid = c.oid) FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
  AND c.relkind IN ('r', 'i') ORDER BY 1
"""


def schemas(engine: Engine) -> set[str]:
    """Schemas that are not PostgreSQL's."""
    with engine.connect() as connection:
        found = connection.execute(text("SELECT nspname FROM pg_namespace")).scalars()
        return {name for name in found if not name.startswith(("pg_", "information_"))}


def definitions(engine: Engine) -> list[tuple[Any, ...]]:
    """Every table and index, with its definition and constraints."""
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(DEFINITIONS))]


def version(engine: Engine) -> int:
    """PostgreSQL's number of the table of rentals, another one once it has been replaced."""
    with engine.connect() as connection:
        return int(connection.execute(text("SELECT 'public.rental'::regclass::oid::int8")).scalar_one())


@contextmanager
def reading(engine: Engine) -> Iterator[Callable[[], None]]:
    """A reader in the middle of a transaction; call it to end that."""
    connection = engine.connect()
    connection.execute(select(func.count()).select_from(Rental.table))
    try:
        yield connection.rollback
    finally:
        connection.close()


@contextmanager
def elsewhere(act: Callable[[], Any]) -> Iterator[Future[Any]]:
    """Acts in a thread, whose end is waited for."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(act)
        yield done
        done.result(PATIENCE)


def test_swap__tables_indexes_and_constraints__are_as_migrations_made_them(
    market: Market, postgres_engine: Engine
) -> None:
    busy(market)
    ingest(market.transactions(), postgres_engine)
    rebuild(postgres_engine)
    before, known = version(postgres_engine), definitions(postgres_engine)
    rows = contents(postgres_engine)
    rebuild(postgres_engine)
    assert version(postgres_engine) != before and definitions(postgres_engine) == known
    assert contents(postgres_engine) == rows and schemas(postgres_engine) == {"public"}
    assert {row[0] for row in known} >= {"rental", "pk_rental"}


def test_swap__somebody_reads__waits_for_them_and_lets_others_by(
    market: Market, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(market.transactions(), postgres_engine)
    engine, before, tried = postgres_engine, version(postgres_engine), threading.Semaphore(0)
    swap = shadows._InSchema.swap

    def watched(self: Any) -> None:
        try:
            swap(self)
        finally:
            tried.release()

    monkeypatch.setattr(shadows._InSchema, "swap", watched)
    with reading(engine) as leave, elsewhere(lambda: rebuild(engine)) as rebuilt:
        for _ in range(8):
            assert tried.acquire(timeout=PATIENCE), "it tries again"
        assert version(engine) == before and rows_of(engine, Rental) is not None
        with writing(engine):
            assert not rebuilt.done()
        leave()
        assert rebuilt.result(PATIENCE) == len(rows_of(engine, RawEvent))
    assert version(engine) != before and not is_stale(engine)


def test_swap__events_that_come_while_readers_are_in_the_way__are_in_it(
    market: Market, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    engine, transactions = postgres_engine, market.transactions()
    ingest(transactions[:-5], engine)
    tries: list[int] = []

    def refused(self: Any) -> None:
        monkeypatch.setattr(rebuild_module.time, "sleep", arrive)
        raise shadows.TablesInUse

    def arrive(seconds: float) -> None:
        monkeypatch.undo()
        tries.append(1)
        ingest(transactions[-5:], engine)

    monkeypatch.setattr(shadows._InSchema, "swap", refused)
    rebuild(engine)
    whole = contents(engine)
    assert tries == [1]
    rebuild(engine)
    assert contents(engine) == whole


def test_swap__fails_after_the_last_replay__replays_that_again(
    market: Market, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    engine, transactions, swap = postgres_engine, market.transactions(), shadows._InSchema.swap
    ingest(transactions[:-5], engine)
    before_turn(monkeypatch, lambda: ingest(transactions[-5:], engine))

    def refused(self: Any) -> None:
        monkeypatch.setattr(shadows._InSchema, "swap", swap)
        raise shadows.TablesInUse

    monkeypatch.setattr(shadows._InSchema, "swap", refused)
    assert rebuild(engine) == len(rows_of(engine, RawEvent))
    whole = contents(engine)
    rebuild(engine)
    assert contents(engine) == whole


def test_rebuild__stopped_before_and_after_its_swap__leaves_nothing_behind(
    market: Market, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(market.transactions(), postgres_engine)
    engine, before = postgres_engine, contents(postgres_engine)

    def fail(*_: object) -> None:
        raise RuntimeError("power")

    for place in ("finish", "clear"):
        with monkeypatch.context() as patched, pytest.raises(RuntimeError, match="power"):
            calls: list[None] = []
            real = getattr(shadows._InSchema, place)

            def second(self: Any, real: Any = real, calls: list[None] = calls, place: str = place) -> None:
                calls.append(None)
                # `clear` comes before the first tables are made as well.
                (fail if place == "finish" or len(calls) > 1 else real)(self)

            patched.setattr(shadows._InSchema, place, second)
            rebuild(engine)
        assert {name: rows for name, rows in contents(engine).items() if name != "projection_version"} == {
            name: rows for name, rows in before.items() if name != "projection_version"
        }
    assert "public_replaced" in schemas(engine) and not is_stale(engine), "it ended between swap and removal"
    rebuild(engine)
    assert schemas(engine) == {"public"} and contents(engine) == before


def test_rebuild__connection_lost__frees_the_turn(market: Market, postgres_engine: Engine) -> None:
    ingest(market.transactions(), postgres_engine)
    with shadows.shadows_of(postgres_engine, lambda: None) as (connection, _):
        number = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        connection.rollback()
        with postgres_engine.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:number)"), {"number": number})
    assert rebuild(postgres_engine) == len(rows_of(postgres_engine, RawEvent))


@on_both_databases
def test_migrate__where_all_is_current__waits_for_no_writer(engine: Engine) -> None:
    with writing(engine):
        began = time.monotonic()
        migrate(engine)
        migrate_accounts(engine)
        assert time.monotonic() - began < PATIENCE
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            held = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :low")
            assert connection.execute(held, {"low": WRITERS_LOCK & 0xFFFFFFFF}).scalar_one() == 1
