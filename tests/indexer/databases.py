"""Databases with every table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import Engine
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from indexer.accounts.database import migrate_accounts
from indexer.store.database import migrate, open_database
from tests.processes.patience import PATIENCE

SQLITE, POSTGRES = "sqlite", "postgres"
ON_POSTGRES = [pytest.mark.postgres, pytest.mark.xdist_group("postgres")]
"""There is one server, and each test empties it."""
on_both_databases = pytest.mark.parametrize(
    "engine", [SQLITE, pytest.param(POSTGRES, marks=ON_POSTGRES)], indirect=True
)
"""For the tests that the databases' own ways may break; on PostgreSQL all others run as long sweeps."""
in_time = Retrying(
    retry=retry_if_exception_type(AssertionError), stop=stop_after_delay(PATIENCE), wait=wait_fixed(0.02), reraise=True
)
"""Asserts again until it holds: PostgreSQL tells the API of changes a little after they are committed."""


@contextmanager
def sqlite(path: Path) -> Iterator[Engine]:
    """SQLite in a file of its own."""
    path.write_bytes(_migrated())
    engine = open_database(f"sqlite:///{path}")
    try:
        yield engine
    finally:
        engine.dispose()


def empty(engine: Engine) -> None:
    """Makes a SQLite file as it was at first: a new engine would have to compile every statement again."""
    engine.dispose()
    path = Path(str(engine.url.database))
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    """A file with every table and no row: making them takes as long as many a test."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        engine = open_database(f"sqlite:///{path}")
        migrate(engine)
        migrate_accounts(engine)
        engine.dispose()
        return path.read_bytes()
