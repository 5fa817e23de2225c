"""A whole market's backup, restored beside: equal by every table's hash and by the chain, and followed from there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, MetaData, text
from xprocess import XProcess

from indexer.accounts import models as accounts
from indexer.index.proof.maintenance import verify
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from localnet.server import LocalCluster
from tests.deploy.every_state import keep, missing_states, open_everything, secrets
from tests.deploy.test_backup import BACKUP, POSTGRES, RESTORE, opened
from tests.indexer import postgres
from tests.indexer.service import indexed, until_status
from tests.indexer.tables import contents
from tests.markets.recorded import Market
from tests.program.harness import flows

OF_A_PROCESS = {"progress"}
"""Tables of how far a process is, which a service writes as it starts."""
OF_CHECKS = {"supply_check", "reconciliation"}


@pytest.fixture
async def local() -> AsyncIterator[LocalCluster]:
    async with LocalCluster(slot_ms=100) as running:
        yield running


def hashes(engine: Engine) -> dict[str, tuple[int, str]]:
    """Number of rows and SHA-256 of each table that the database has, whoever made it."""
    with engine.connect() as connection:
        known = MetaData()
        known.reflect(connection)
        return {table: _hash(connection, table) for table in sorted(known.tables) if table not in OF_A_PROCESS}


def _hash(connection: Connection, table: str) -> tuple[int, str]:
    rows = connection.execute(text(f'SELECT * FROM "{table}"')).all()
    lines = sorted(repr([bytes(each) if isinstance(each, memoryview) else each for each in row]) for row in rows)
    return len(lines), sha256("\n".join(lines).encode()).hexdigest()


async def back_up_a_whole_market(local: LocalCluster, source: str, target: str, folder: Path) -> None:
    market = Market(local.cluster)
    open_everything(market)
    first = opened(source)
    assert (await verify(settings_of(local, source), first)).problems == []
    keep(first, secrets(market))
    kept = hashes(first)
    empty = {table for table, (count, _) in kept.items() if count == 0}
    assert not empty & {table.name for table in accounts.AccountRecord.metadata.tables.values()}, "every kind is there"
    assert missing_states(first) == []

    copy(source, target, folder / "market.backup")
    unopened = open_database(target)
    assert hashes(unopened) == kept
    unopened.dispose()

    second = opened(target)
    assert (await verify(settings_of(local, target), second)).problems == []
    renter, listing = market.renter(), market.list_machine()
    async with indexed(local, target) as api:
        rental = flows.running(market, renter, listing=listing)
        await until_status(api, str(rental), "running")
        market.act(market.stop_rental(rental))
        await until_status(api, str(rental), "completed")
    for url, engine in ((source, first), (target, second)):
        assert (await verify(settings_of(local, url), engine)).problems == []
    assert followed(first) == followed(second)
    first.dispose()
    second.dispose()


def followed(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Every table but those of checks, which say at which slot they were made."""
    return {name: rows for name, rows in contents(engine).items() if name not in OF_CHECKS}


def copy(source: str, target: str, file: Path) -> None:
    """By a backup that is restored."""
    subprocess.run([BACKUP, source, str(file)], check=True)
    subprocess.run([RESTORE, str(file), target], check=True)


def settings_of(local: LocalCluster, url: str) -> IndexerSettings:
    return IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, database_url=url)


async def test_backup__whole_market_in_sqlite__is_equal_and_followed(local: LocalCluster, tmp_path: Path) -> None:
    first, second = (f"sqlite:///{tmp_path / name}.db" for name in ("first", "second"))
    await back_up_a_whole_market(local, first, second, tmp_path)


@contextmanager
def two_databases(xprocess: XProcess) -> Iterator[tuple[str, str]]:
    """Two empty ones on one server."""
    with postgres.server(xprocess, postgres.require()) as url:
        engine = open_database(url).execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for name in ("first", "second"):
                connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        yield url.replace("/postgres?", "/first?"), url.replace("/postgres?", "/second?")


@pytest.mark.parametrize("database", [pytest.param("postgres", marks=POSTGRES)])
async def test_backup__whole_market_in_postgres__is_equal_and_followed(
    local: LocalCluster, xprocess: XProcess, tmp_path: Path, database: str
) -> None:
    if shutil.which("pg_dump") is None:
        pytest.skip("there is no pg_dump")
    with two_databases(xprocess) as (first, second):
        await back_up_a_whole_market(local, first, second, tmp_path)
