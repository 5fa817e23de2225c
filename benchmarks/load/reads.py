"""`python -m benchmarks.load.reads`: what an API does with an index, in a process of its own, until its input ends.

It reads rentals by address and by page, takes a writer's turn, and migrates, each again and again at an even pace; in
the end it says as JSON how long each took, in milliseconds, and the longest wait for a table and for the turn to write
that PostgreSQL knew of.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import OperationalError

from indexer.accounts.database import migrate_accounts
from indexer.models import Rental
from indexer.store.database import migrate, open_database, writing

PAGE: Final = 50
ADDRESSES: Final = 2_000
PACE_SECONDS: Final[dict[str, float]] = {"by address": 0.02, "by page": 0.05, "write": 0.1, "start": 1.0, "locks": 0.01}
WAITS: Final = (
    "SELECT locktype, max(extract(epoch FROM clock_timestamp() - waitstart)::float8) FROM pg_locks "
    "WHERE NOT granted AND waitstart IS NOT NULL GROUP BY locktype"
)
TABLE: Final = "relation"
TURN: Final = "advisory"
"""Types of PostgreSQL's locks."""


class Reads:
    """The acts on one index, and how long each took."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        with engine.connect() as connection:
            self._addresses = connection.execute(select(Rental.c.address).limit(ADDRESSES)).scalars().all()
        self.taken: dict[str, list[float]] = {}
        self.longest_wait = {TABLE: 0.0, TURN: 0.0}

    def acts(self) -> dict[str, Callable[[], object]]:
        """Acts by name."""
        acts: dict[str, Callable[[], object]] = {
            "by address": lambda: self._read(self._one),
            "by page": lambda: self._read(self._page),
            "write": self._write,
            "start": self._start,
        }
        if self._engine.dialect.name == "postgresql":
            acts["locks"] = lambda: self._read(self._wait)
        return acts

    def repeat(self, name: str, act: Callable[[], object], ended: threading.Event) -> None:
        """Does it at its pace; what comes late is counted from when it was due, and so is what gives up."""
        taken = self.taken.setdefault(name, [])
        due = time.monotonic()
        while not ended.wait(max(0.0, due - time.monotonic())):
            # A writer of SQLite gives up after half a minute without the turn.
            with suppress(OperationalError):
                act()
            taken.append((time.monotonic() - due) * 1_000)
            due = max(due + PACE_SECONDS[name], time.monotonic())

    def _read(self, read: Callable[[Connection], object]) -> None:
        with self._engine.connect() as connection:
            read(connection)

    def _one(self, connection: Connection) -> object:
        wanted = random.choice(self._addresses)
        return connection.execute(select(Rental.table).where(Rental.c.address == wanted)).all()

    def _page(self, connection: Connection) -> object:
        order = Rental.c.created_at.desc(), Rental.c.address
        return connection.execute(select(Rental.table).order_by(*order).limit(PAGE)).all()

    def _wait(self, connection: Connection) -> None:
        for kind, seconds in connection.execute(text(WAITS)):
            self.longest_wait[kind] = max(self.longest_wait.get(kind, 0.0), seconds * 1_000)

    def _write(self) -> None:
        with writing(self._engine) as connection:
            connection.execute(select(func.count()).select_from(select(Rental.c.address).limit(1).subquery()))

    def _start(self) -> None:
        migrate(self._engine)
        migrate_accounts(self._engine)


def main() -> None:
    """The child process."""
    engine = open_database(sys.argv[1])
    reads, ended = Reads(engine), threading.Event()
    threads = [threading.Thread(target=reads.repeat, args=(*act, ended)) for act in reads.acts().items()]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    engine.dispose()
    print(json.dumps({"taken": reads.taken, "longest_wait": reads.longest_wait}))


if __name__ == "__main__":
    main()
