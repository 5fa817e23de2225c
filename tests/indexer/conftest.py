"""A market on the embedded cluster and an empty, migrated database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from xprocess import XProcess

from indexer.store.database import open_database
from localnet.cluster import Cluster
from localnet.server import LocalCluster
from tests.indexer import postgres
from tests.indexer.databases import ON_POSTGRES, POSTGRES, SQLITE, sqlite
from tests.markets.recorded import Market


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    running = Cluster()
    yield running
    running.close()


@pytest.fixture
def market(cluster: Cluster) -> Market:
    """An open market with a host and one H100."""
    return Market(cluster)


@pytest.fixture
async def local() -> AsyncIterator[LocalCluster]:
    """A cluster that is served."""
    async with LocalCluster(slot_ms=100) as running:
        yield running


@pytest.fixture
def live(local: LocalCluster) -> Market:
    """An open market with one machine on a cluster that is served."""
    return Market(local.cluster)


@pytest.fixture(scope="session")
def postgres_url(xprocess: XProcess) -> Iterator[str]:
    """A PostgreSQL server."""
    with postgres.server(xprocess, postgres.require()) as url:
        yield url


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[Engine]:
    """SQLite in a file, with every table."""
    with sqlite(tmp_path / "index.db") as opened:
        yield opened


@pytest.fixture
def postgres_engine(postgres_url: str) -> Iterator[Engine]:
    """PostgreSQL, with every table."""
    with postgres.emptied(postgres_url) as opened:
        yield opened


@pytest.fixture(params=[SQLITE, pytest.param(POSTGRES, marks=[*ON_POSTGRES, pytest.mark.exhaustive])])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each database in turn, with every table: what a test says holds of both. See also `on_both_databases`."""
    opened: Engine = request.getfixturevalue(f"{request.param}_engine")
    return opened


@pytest.fixture
def writer(engine: Engine) -> Iterator[Engine]:
    """The same database, as another process has it."""
    other = open_database(engine.url.render_as_string(hide_password=False))
    yield other
    other.dispose()
