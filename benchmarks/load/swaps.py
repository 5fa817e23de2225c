"""`python -m benchmarks.load.swaps URL`: a rebuild as `gpu-market indexer rebuild` does it, and what its swap took.

It says as JSON how many events there were and, of each attempt to swap, the milliseconds from the call to its end
(`took`), those that the process with the locks ran (`ran`) and those that it was ready to run and waited for a
processor (`delayed`). The rest it waited for readers to leave. On SQLite, that process is this one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, text

from indexer.index.copied import Copied
from indexer.index.rebuild import rebuild
from indexer.index.shadows import _InSchema
from indexer.store.database import open_database

Attempts = list[dict[str, float]]


def main() -> None:
    """The child process."""
    engine = open_database(sys.argv[1])
    attempts: Attempts = []
    kind = Copied if engine.dialect.name == "sqlite" else _InSchema
    with patch.object(kind, "swap", _timed(kind.swap, attempts)):
        events = rebuild(engine)
    engine.dispose()
    print(json.dumps({"events": events, "swaps": attempts}))


def _timed(swap: Callable[[Any], None], attempts: Attempts) -> Callable[[Any], None]:
    def timed(shadows: Any) -> None:
        process = _holder(shadows._connection)
        began = time.perf_counter()
        ran, delayed = _scheduled(process)
        try:
            swap(shadows)
        finally:
            ended = _scheduled(process)
            took = (time.perf_counter() - began) * 1_000
            attempts.append({"took": took, "ran": ended[0] - ran, "delayed": ended[1] - delayed})

    return timed


def _holder(connection: Connection) -> int:
    """The process that has the locks."""
    if connection.dialect.name == "sqlite":
        return os.getpid()
    return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())


def _scheduled(process: int) -> tuple[float, float]:
    """Milliseconds that Linux has run a process, and has had it wait for a processor."""
    ran, delayed, _ = Path(f"/proc/{process}/schedstat").read_text().split()
    return int(ran) / 1e6, int(delayed) / 1e6


if __name__ == "__main__":
    main()
