"""Named pipes that tell of commits to SQLite."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text

from indexer.changes.signal import drain, folder_of, waiting, wake
from indexer.store.database import open_database, writing


def is_woken(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


def pipes(engine: Engine) -> list[Path]:
    folder = folder_of(engine)
    assert folder is not None
    return list(folder.iterdir())


def test_commit__by_another_connection__wakes_everybody_who_waits(sqlite_engine: Engine) -> None:
    other = open_database(sqlite_engine.url.render_as_string())
    with waiting(sqlite_engine) as first, waiting(sqlite_engine) as second:
        assert first is not None and second is not None
        assert not is_woken(first)
        with writing(other) as connection:
            connection.execute(text("DELETE FROM change"))
            assert not is_woken(first)
        assert is_woken(first) and is_woken(second)
        drain(first)
        assert not is_woken(first) and is_woken(second)
    assert pipes(sqlite_engine) == []
    other.dispose()


def test_transaction__that_fails__wakes_nobody(sqlite_engine: Engine) -> None:
    with waiting(sqlite_engine) as descriptor:
        assert descriptor is not None
        with pytest.raises(ZeroDivisionError), writing(sqlite_engine):
            raise ZeroDivisionError
        assert not is_woken(descriptor)


def test_wake__reader_that_was_killed__is_forgotten(sqlite_engine: Engine) -> None:
    with waiting(sqlite_engine) as descriptor:
        assert descriptor is not None
        folder = folder_of(sqlite_engine)
        assert folder is not None
        os.mkfifo(folder / "dead")
        wake(sqlite_engine)
        assert is_woken(descriptor) and len(pipes(sqlite_engine)) == 1


def test_wake__pipe_that_nobody_empties__does_not_hold_a_commit(sqlite_engine: Engine) -> None:
    with waiting(sqlite_engine):
        for _ in range(70_000):
            wake(sqlite_engine)


def test_waiting__database_in_memory__has_no_pipe() -> None:
    with waiting(create_engine("sqlite://")) as descriptor:
        assert descriptor is None
