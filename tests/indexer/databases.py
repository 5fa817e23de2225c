"""Databases with every table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from indexer.database import migrate, open_database


@contextmanager
def sqlite(path: Path) -> Iterator[Engine]:
    """SQLite in a file of its own."""
    path.write_bytes(_migrated())
    engine = open_database(f"sqlite:///{path}")
    try:
        yield engine
    finally:
        engine.dispose()


@cache
def _migrated() -> bytes:
    """A file with every table and no row: making them takes as long as many a test."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        engine = open_database(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()
