"""An empty index on disk."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from indexer.store.database import migrate, open_database


@contextmanager
def fresh_index() -> Iterator[Engine]:
    """SQLite with every table. What was recorded before is no garbage to look through meanwhile."""
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as directory:
        engine = open_database(f"sqlite:///{Path(directory) / 'index.db'}")
        try:
            migrate(engine)
            yield engine
        finally:
            engine.dispose()
            gc.unfreeze()
