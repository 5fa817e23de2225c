"""The database of accounts: the index's, unless another is configured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine

from indexer.settings import IndexerSettings
from indexer.store.database import migrate, open_database

MIGRATIONS = "indexer.accounts"


@contextmanager
def accounts_of(settings: IndexerSettings, index: Engine) -> Iterator[Engine]:
    """The database of accounts. DatabaseUnusable."""
    if settings.accounts_database_url is None:
        yield index
        return
    engine = open_database(settings.accounts_database_url)
    try:
        yield engine
    finally:
        engine.dispose()


def migrate_accounts(engine: Engine) -> None:
    """Brings the tables to this version's form; harmless when they are."""
    migrate(engine, MIGRATIONS)


def migrate_all(settings: IndexerSettings, index: Engine) -> None:
    """The index and the accounts."""
    migrate(index)
    with accounts_of(settings, index) as engine:
        migrate_accounts(engine)
