"""/health: one form whatever fails, and what it says."""

from __future__ import annotations

import shutil
import time
from collections import namedtuple
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError

from anchor_client.solana.slots import USUAL_SLOT_SECONDS
from indexer.api.main import create_app
from indexer.api.routes.health import LEAST_FREE_BYTES, Health
from indexer.index.follow import Follower
from indexer.models import Progress
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.progress import progress_of, write_progress
from tests.indexer.databases import on_both_databases, sqlite
from tests.indexer.node import ScriptedNode
from tests.markets.recorded import Market

NOW_MS = 1_700_000_000_000
Usage = namedtuple("Usage", ["total", "used", "free"])


def test_health__database_gone__has_its_usual_form_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with sqlite(path) as engine, TestClient(create_app(settings_of(path), engine=engine)) as api:
        with engine.begin() as connection:
            for table in ("cursor", "seq_gap", "dead_letter"):
                connection.exec_driver_sql(f"DROP TABLE {table}")
        answer = api.get("/health")
    assert answer.status_code == 503
    told = Health.model_validate(answer.json())
    assert answer.json().keys() == Health.model_fields.keys()
    assert (told.status, told.cursor_slot, told.gaps, told.dead_letters) == ("unhealthy", None, None, None)
    assert "the database cannot be read" in told.problems


def test_health__look_that_hangs__lags_more_and_more_as_the_metric_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, status = tmp_path / "index.db", Status()
    status.saw_head(1_000, 1_700_000_000, None)
    status.completed(1_000)
    elsewhere, told = Status(), status.as_told(NOW_MS)
    with sqlite(path) as engine:
        for each in (status, elsewhere):
            if each is elsewhere:
                each.hear(Progress(source="", **told), NOW_MS)
            with TestClient(create_app(settings_of(path), engine=engine, status=each)) as api:
                before = api.get("/health").json()["lag_slots"]
                now = time.monotonic()
                with monkeypatch.context() as later:
                    later.setattr(time, "monotonic", lambda at=now: at + 100 * USUAL_SLOT_SECONDS)
                    health, lag = api.get("/health").json(), each.lag_slots
                assert before + 100 <= health["lag_slots"] == health["head_slot"] - 1_000 == lag


@on_both_databases
@pytest.mark.parametrize("hours", [-1, 1])
def test_hear__clocks_of_two_machines_an_hour_apart__agree(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    status, elsewhere, real = Status(), Status(), time.time
    status.saw_head(1_000, 1_700_000_000, None)
    status.completed(1_000)
    write_progress(engine, "program", status)
    monkeypatch.setattr(time, "time", lambda: real() + hours * 3_600)
    with engine.connect() as connection:
        told = progress_of(connection, "program")
    assert told is not None
    elsewhere.hear(*told)
    assert abs(elsewhere.lag_seconds - status.lag_seconds) < 30
    assert abs(elsewhere.now() - status.now()) < 30
    assert abs(elsewhere.lag_slots - status.lag_slots) < 100


async def test_health__full_disk__says_so_at_once_and_no_longer_when_there_is_room(
    market: Market, tmp_path: Path
) -> None:
    path, status = tmp_path / "index.db", Status()
    with sqlite(path) as engine:
        follower = Follower(settings_of(path), engine, ScriptedNode(market), status)
        full = fill(engine)
        with pytest.raises(OperationalError, match="full") as raised:
            await follower.catch_up()
        status.failed(raised.value)
        with TestClient(create_app(settings_of(path), engine=engine, status=status)) as api:
            answer = api.get("/health")
            assert answer.status_code == 503
            assert "the database cannot be written: database or disk is full" in answer.json()["problems"]
            event.remove(engine, "connect", full)
            engine.dispose()
            await follower.catch_up()
            assert api.get("/health").json()["problems"] == []


def test_health__disk_almost_full__says_how_much_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "index.db"
    with sqlite(path) as engine, TestClient(create_app(settings_of(path), engine=engine)) as api:
        assert api.get("/health").json()["problems"] == []
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, LEAST_FREE_BYTES - 1))
        answer = api.get("/health")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["the disk of the database has 255 MiB left"])


def settings_of(path: Path) -> IndexerSettings:
    return IndexerSettings(database_url=f"sqlite:///{path}")


def fill(engine: Engine) -> object:
    """Lets the database grow no further, as a full disk does."""

    def full(connection: object, record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count={pages}").close()  # type: ignore[attr-defined]

    event.listen(engine, "connect", full)
    engine.dispose()
    return full
