"""Projections that are rebuilt beside the old ones: by version, while others read and write, from older events too.

Invariant IDX-4.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, select, text, update
from structlog.testing import capture_logs

from anchor_client.generated.events import EVENTS, PaymentMintAdded
from indexer.index import copied, shadows
from indexer.index import rebuild as rebuild_module
from indexer.index.ingest import ingest
from indexer.index.projection_version import current_version
from indexer.index.rebuild import is_stale, rebuild
from indexer.models import GpuModel, Host, PaymentMint, ProjectionVersion, RawEvent, Rental
from indexer.store.events import Decoded, Origin, UnreadableEvent, read
from indexer.store.older_events import OLDER
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases
from tests.indexer.node import ScriptedNode
from tests.indexer.proof.test_follow import follower_of
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE

ORIGIN = Origin("5" * 88, 0, 0, 10, 3)
FLAG_AND_SUPPLY = 1 + 8
"""Bytes that a mint's first event did not have once."""


@on_both_databases
async def test_catch_up__projections_of_another_version__are_rebuilt_in_this_ones_form(
    market: Market, engine: Engine
) -> None:
    busy(market)
    follower, _ = follower_of(ScriptedNode(market), engine)
    for _ in range(2):
        await follower.catch_up()
    before = contents(engine)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE rental DROP COLUMN deposit"))
        connection.execute(text("ALTER TABLE host ADD COLUMN gone INTEGER"))
        connection.execute(text("DROP TABLE gpu_model"))
        connection.execute(update(ProjectionVersion.table).values(version="0" * 64))
    with capture_logs() as said:
        await follower.catch_up()
    versions = {"projection_version": [("0" * 64, 1, False), (current_version(), 2, True)]}
    assert contents(engine) == before | versions
    assert rows_of(engine, Rental) and rows_of(engine, Host) and rows_of(engine, GpuModel) is not None
    [told] = [line for line in said if line["event"] == "rebuilding projections"]
    assert told["events"] == told["of"] == len(before["raw_event"])
    assert not is_stale(engine)


async def test_catch_up__projections_of_this_version__are_left_alone(market: Market, engine: Engine) -> None:
    follower, _ = follower_of(ScriptedNode(market), engine)
    with capture_logs() as said:
        await follower.catch_up()
        await follower.catch_up()
    assert [line for line in said if "rebuil" in line["event"]] == []


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> list[int]:
    """Acts once when a rebuild has projected its first page; counts the pages."""
    pages: list[int] = []
    project = rebuild_module.project

    def watched(events: Any, rows: Any) -> Any:
        done = project(events, rows)
        pages.append(len(events))
        if len(pages) == 1:
            act()
        return done

    monkeypatch.setattr(rebuild_module, "project", watched)
    return pages


@on_both_databases
def test_rebuild__events_taken_in_meanwhile__are_in_it(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    transactions = market.transactions()
    ingest(transactions[:-5], engine)
    seen: list[dict[str, Any]] = []

    def others_read_and_write() -> None:
        seen.append(contents(engine))
        ingest(transactions[-5:], engine)

    before = contents(engine)
    pages = meanwhile(monkeypatch, others_read_and_write)
    rebuild(engine)
    whole = contents(engine)
    assert {name: rows for name, rows in seen[0].items() if name != "projection_version"} == {
        name: rows for name, rows in before.items() if name != "projection_version"
    }
    assert len(pages) == 2 and sum(pages) == len(whole["raw_event"]) > len(before["raw_event"])
    rebuild(engine)
    assert contents(engine) == whole


@on_both_databases
def test_rebuild__events_that_come_while_tables_are_finished__are_replayed_before_writers_wait(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    transactions = market.transactions()
    ingest(transactions[:-5], engine)
    kind = shadows._InSchema if engine.dialect.name == "postgresql" else copied.Copied
    finish, turn, in_turn = kind.finish, rebuild_module.begin_writing, [False]

    def finished_late(self: Any) -> None:
        finish(self)
        ingest(transactions[-5:], engine)

    @contextmanager
    def watched(connection: Any) -> Iterator[None]:
        with turn(connection):
            in_turn.append(True)
            yield
        in_turn.append(False)

    monkeypatch.setattr(kind, "finish", finished_late)
    monkeypatch.setattr(rebuild_module, "begin_writing", watched)
    monkeypatch.setattr(rebuild_module, "FEW", 0)
    project, replayed = rebuild_module.project, []

    def told(events: Any, rows: Any) -> Any:
        replayed.append(in_turn[-1])
        return project(events, rows)

    monkeypatch.setattr(rebuild_module, "project", told)
    assert rebuild(engine) == len(rows_of(engine, RawEvent))
    assert replayed == [False, False] and in_turn == [False, True, False]


@on_both_databases
def test_rebuild__events_that_come_right_before_its_turn__are_in_it(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    transactions = market.transactions()
    ingest(transactions[:-5], engine)
    before_turn(monkeypatch, lambda: ingest(transactions[-5:], engine))
    assert rebuild(engine) == len(rows_of(engine, RawEvent))
    whole = contents(engine)
    rebuild(engine)
    assert contents(engine) == whole


def before_turn(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Acts once right before a rebuild takes the turn to write."""
    turn = rebuild_module.begin_writing

    @contextmanager
    def late(connection: Any) -> Iterator[None]:
        monkeypatch.setattr(rebuild_module, "begin_writing", turn)
        act()
        with turn(connection):
            yield

    monkeypatch.setattr(rebuild_module, "begin_writing", late)


@on_both_databases
def test_rebuild__past_that_changes_meanwhile__is_rebuilt_once_more(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(market)
    transactions = market.transactions()
    ingest([each for each in transactions if each is not transactions[-9]], engine)
    meanwhile(monkeypatch, lambda: ingest([transactions[-9]], engine))
    assert rebuild(engine) == len(rows_of(engine, RawEvent))
    assert not is_stale(engine)
    after = contents(engine)
    rebuild(engine)
    assert contents(engine) == after and after["seq_gap"] == []


def test_rebuild__stopped_halfway__begins_anew_at_the_next_start(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(market.transactions(), engine)
    before = contents(engine)

    def fail() -> None:
        raise RuntimeError("power")

    with monkeypatch.context() as patched:
        meanwhile(patched, fail)
        with pytest.raises(RuntimeError, match="power"):
            rebuild(engine)
    assert is_stale(engine)
    assert contents(engine) == before | {"projection_version": [(current_version(), 1, False)]}
    rebuild(engine)
    assert contents(engine) == before and not is_stale(engine)


@on_both_databases
def test_rebuild__two_at_once__take_turns_and_the_second_has_nothing_to_do(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(market.transactions(), engine)
    before = contents(engine)
    beats = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        others: list[Future[int]] = []

        def start_another() -> None:
            others.append(pool.submit(rebuild, engine, beats.set, only_stale=True))
            assert beats.wait(PATIENCE), "it waits for its turn, and says that it is alive"

        pages = meanwhile(monkeypatch, start_another)
        assert rebuild(engine) == len(before["raw_event"])
        assert others[0].result(PATIENCE) == 0
    assert len(pages) == 1 and contents(engine) == before


@on_both_databases
def test_rebuild__event_of_an_older_layout__has_what_came_since(market: Market, engine: Engine) -> None:
    ingest(market.transactions(), engine)
    mints = rows_of(engine, PaymentMint)
    assert any(mint.supply for mint in mints)
    with engine.begin() as connection:
        added = select(RawEvent.table).where(RawEvent.c.name == PaymentMintAdded.__name__)
        for row in connection.execute(added).mappings().all():
            key = (RawEvent.c[name] == row[name] for name in Origin._fields[:3])
            connection.execute(update(RawEvent.table).where(*key).values(data=row["data"][:-FLAG_AND_SUPPLY]))
    rebuild(engine)
    older = rows_of(engine, PaymentMint)
    assert {(mint.mintable, mint.supply) for mint in older} == {(True, 0)}
    assert [mint.mint for mint in older] == [mint.mint for mint in mints]


def test_read__event_that_ends_where_no_layout_did__is_no_event(market: Market, sqlite_engine: Engine) -> None:
    ingest(market.transactions(), sqlite_engine)
    data = next(row.data for row in rows_of(sqlite_engine, RawEvent) if row.name == PaymentMintAdded.__name__)
    assert isinstance(read(ORIGIN, data[:-FLAG_AND_SUPPLY]), Decoded)
    for cut in {*range(1, len(data))} - {FLAG_AND_SUPPLY}:
        assert isinstance(read(ORIGIN, data[:-cut]), UnreadableEvent)


def test_older__each__lacked_the_last_fields() -> None:
    for event, layouts in OLDER.items():
        assert event.DISCRIMINATOR in EVENTS
        for since in layouts:
            assert list(event.LAYOUT.layouts)[-len(since) :] == list(since)
