from __future__ import annotations

import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select
from sqlalchemy.exc import StatementError

from indexer.accounts.models import AccountRecord
from indexer.errors import DatabaseUnusable
from indexer.models import Cursor, Record, SubsidyFunding
from indexer.store.database import migrate, open_database
from tests.indexer.databases import on_both_databases, sqlite
from tests.indexer.tables import rows_of

ACCOUNT_TABLES = {*AccountRecord.metadata.tables, "accounts_version"}


def is_of_the_index(name: str | None, kind: str, parents: object) -> bool:
    """Sign-ins and API keys, in the same database by default, have migrations of their own."""
    return kind != "table" or name not in ACCOUNT_TABLES


@on_both_databases
def test_migrate__empty_database__makes_the_tables_of_the_models(engine: Engine) -> None:
    with engine.connect() as connection:
        options = {"compare_type": True, "include_name": is_of_the_index}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Record.metadata) == []


@on_both_databases
def test_migrate__again__keeps_the_rows(engine: Engine) -> None:
    row = {"source": "s", "slot": 1, "transaction_index": 0, "signature": "x"}
    with engine.begin() as connection:
        connection.execute(insert(Cursor.table).values(**row))
    migrate(engine)
    assert [cursor.source for cursor in rows_of(engine, Cursor)] == ["s"]


def test_open_database__sqlite__writes_ahead(sqlite_engine: Engine) -> None:
    with sqlite_engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_open_database__new_file__is_its_owners_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    made = open_database(f"sqlite:///{tmp_path / 'index.db'}")
    migrate(made)
    with made.begin() as writer:
        writer.execute(insert(Cursor.table).values(source="s", slot=1, transaction_index=0, signature="x"))
        files = sorted(tmp_path.iterdir())
        assert [file.name for file in files] == ["index.db", "index.db-shm", "index.db-wal"]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    made.dispose()
    (tmp_path / "index.db").chmod(0o640)
    with sqlite(tmp_path / "index.db"):
        assert stat.S_IMODE((tmp_path / "index.db").stat().st_mode) == 0o640


def test_open_database__reader_during_a_write__sees_the_committed_state(tmp_path: Path) -> None:
    with sqlite(tmp_path / "index.db") as engine, engine.begin() as writer:
        writer.execute(insert(Cursor.table).values(source="s", slot=1, transaction_index=0, signature="x"))
        assert rows_of(engine, Cursor) == []


@pytest.mark.parametrize("url", ["nonsense", "oracle9i://x", "mysql+nothing://x"])
def test_open_database__unknown_kind__is_refused_with_a_remedy(url: str) -> None:
    with pytest.raises(DatabaseUnusable) as caught:
        open_database(url)
    assert "sqlite:///" in caught.value.remedy


AMOUNTS = (0, 1, 9, 10, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)


@on_both_databases
def test_unsigned__all_of_64_bits__exact_and_ordered(engine: Engine) -> None:
    rows = [
        {"vault": "v", "seq": seq, "funder": "f", "amount": amount, "ts": 0, "tx": "s"}
        for seq, amount in enumerate(reversed(AMOUNTS))
    ]
    with engine.begin() as connection:
        connection.execute(insert(SubsidyFunding.table), rows)
        ordered = connection.scalars(select(SubsidyFunding.c.amount).order_by(SubsidyFunding.c.amount)).all()
        above = connection.scalars(select(SubsidyFunding.c.amount).where(SubsidyFunding.c.amount >= 2**63)).all()
    assert tuple(ordered) == AMOUNTS
    assert sorted(above) == [2**63, 2**64 - 1]


@on_both_databases
@pytest.mark.parametrize("amount", [-1, 2**64])
def test_unsigned__outside_64_bits__is_refused(engine: Engine, amount: int) -> None:
    row = {"vault": "v", "seq": 1, "funder": "f", "amount": amount, "ts": 0, "tx": "s"}
    with engine.begin() as connection, pytest.raises(StatementError, match="not an unsigned integer of 64 bits"):
        connection.execute(insert(SubsidyFunding.table).values(**row))


def test_migrate__every_table__has_a_model(engine: Engine) -> None:
    assert set(inspect(engine).get_table_names()) == {*Record.metadata.tables, *ACCOUNT_TABLES, "alembic_version"}
