"""Connections to a PostgreSQL server: a process never wants more than its pool has."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

from indexer.store.database import POOL_SIZE, open_database
from indexer.store.transactions import READERS, REPLAYERS, WRITERS

ACCOUNTS = READERS + WRITERS
"""Threads for accounts, whose database may be the same."""
FOLLOWING = 3
"""The reader of the chain, what it compares beside it, and the one that listens for changes."""


def test_threads_of_a_process__have_a_connection_each() -> None:
    assert READERS + REPLAYERS + WRITERS + ACCOUNTS + FOLLOWING <= POOL_SIZE


@pytest.mark.postgres
def test_postgres__more_connections_than_the_pool_has__wait_until_one_is_given_back(
    postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_database(postgres_engine.url.render_as_string(hide_password=False))
    monkeypatch.setattr(engine.pool, "_timeout", 0.01)
    held = [engine.connect() for _ in range(POOL_SIZE)]
    with pytest.raises(NoConnectionLeft):
        engine.connect()
    held.pop().close()
    held.append(engine.connect())
    for connection in held:
        connection.close()
    engine.dispose()
