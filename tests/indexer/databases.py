"""Databases with every table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from indexer.database import migrate, open_database


@contextmanager
def sqlite(path: Path) -> Iterator[Engine]:
    """SQLite in a file."""
    engine = open_database(f"sqlite:///{path}")
    try:
        migrate(engine)
        yield engine
    finally:
        engine.dispose()
