"""A backup is taken while the index is written, restored elsewhere, and the index continues from it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from xprocess import XProcess

from indexer.accounts.database import migrate_accounts
from indexer.index.ingest import ingest
from indexer.store.database import migrate, open_database
from localnet.cluster import Cluster
from tests.docs.pages import ROOT
from tests.indexer import postgres
from tests.indexer.tables import contents
from tests.markets.recorded import Market
from tests.program.harness.flows import running

BACKUP, RESTORE = (str(ROOT / "deploy" / f"{name}.sh") for name in ("backup", "restore"))
POSTGRES = [pytest.mark.postgres, pytest.mark.xdist_group("postgres")]


def opened(url: str) -> Engine:
    engine = open_database(url)
    migrate(engine)
    migrate_accounts(engine)
    return engine


def recorded() -> Market:
    """A market with an ended rental."""
    market = Market(Cluster())
    rental = running(market, market.renter(), duration=3_600)
    market.act(market.stop_rental(rental))
    return market


def back_up_and_restore(source: str, target: str, folder: Path) -> None:
    """The half of a market's events goes in before the backup; the other half is ingested where it is restored."""
    market = recorded()
    transactions = list(market.transactions())
    middle = len(transactions) // 2
    engine = opened(source)
    ingest(transactions[:middle], engine)
    kept = contents(engine)
    file = folder / "market.backup"
    with engine.begin() as writing:
        writing.execute(text("UPDATE cursor SET slot = slot + 1"))
        subprocess.run([BACKUP, source, str(file)], check=True)
        writing.rollback()
    ingest(transactions, engine)
    subprocess.run([RESTORE, str(file), target], check=True)
    restored = opened(target)
    assert contents(restored) == kept
    ingest(transactions, restored)
    assert contents(restored) == contents(engine)
    engine.dispose()
    restored.dispose()


def test_backup__sqlite__is_restored_and_goes_on(tmp_path: Path) -> None:
    urls = (f"sqlite:///{tmp_path / name}.db" for name in ("first", "second"))
    back_up_and_restore(*urls, tmp_path)


@pytest.mark.parametrize("database", [pytest.param("postgres", marks=POSTGRES)])
def test_backup__postgres__is_restored_and_goes_on(xprocess: XProcess, tmp_path: Path, database: str) -> None:
    binaries = postgres.require()
    if shutil.which("pg_dump") is None:
        pytest.skip("there is no pg_dump")
    with postgres.server(xprocess, binaries) as url:
        engine = open_database(url).execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for name in ("first", "second"):
                connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        first, second = (url.replace("/postgres?", f"/{name}?") for name in ("first", "second"))
        back_up_and_restore(first, second, tmp_path)


def test_restore__over_an_index__is_refused(tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_text("kept")
    done = subprocess.run([RESTORE, str(there), f"sqlite:///{there}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and there.read_text() == "kept"
