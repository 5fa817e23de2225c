"""Events that clients have missed keep nobody else waiting. Invariant IDX-15."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine

from indexer.api.feed import replays
from indexer.api.feed.feed import FeedHub
from indexer.api.feed.followers import TopicFollowers
from indexer.api.feed.log import FeedEntry
from indexer.api.feed.messages import TopicMessage
from indexer.api.feed.replays import PageStore, ReplayPage, ReplayReader
from indexer.api.feed.subscriber import Subscriber
from indexer.api.kept.answers import KeptAnswers
from indexer.api.limits.policies import WINDOW_SECONDS
from indexer.api.main import create_app
from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import MOST_WORDS, write_changes
from indexer.index.ingest import ingest
from indexer.models import Intake
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import writing
from tests.indexer.tables import only
from tests.markets.recorded import Market
from tests.program.harness.flows import running

SOCKETS = 8


@pytest.fixture
def filled(market: Market, sqlite_engine: Engine) -> Engine:
    running(market, market.renter(), listing=market.listings[0])
    ingest(market.transactions(), sqlite_engine)
    return sqlite_engine


@contextmanager
def serving(engine: Engine, **settings: Any) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(**settings), engine=engine)) as client:
        yield client


def whole(engine: Engine, topic: str = "all") -> str:
    return f"/api/feed?topic={topic}&after={only(engine, Intake).id}-0"


def read_all(api: TestClient, engine: Engine, topic: str = "all") -> list[dict[str, Any]]:
    """The events of a replay that ends with the index's last one."""
    last, found = only(engine, Intake).last, []
    with api.websocket_connect(whole(engine, topic)) as socket:
        while not found or not found[-1].get("cursor", "").endswith(f"-{last}"):
            found.append(socket.receive_json())
    return [each for each in found if each["type"] == "event"]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the entries that are decoded."""
    seen: list[int] = []
    decode = FeedEntry.read

    def noted(entry: FeedEntry) -> Any:
        seen.append(entry.number)
        return decode(entry)

    monkeypatch.setattr(FeedEntry, "read", noted)
    return seen


def test_replays__many_that_take_long__leave_routes_their_threads(
    filled: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go, read = threading.Event(), replays.entries_between

    def slow(connection: Connection, number: int, last: int) -> list[FeedEntry]:
        let_go.wait()
        return read(connection, number, last)

    monkeypatch.setattr(replays, "entries_between", slow)
    with serving(filled) as api, ExitStack() as sockets:
        try:
            for _ in range(SOCKETS):
                socket = sockets.enter_context(api.websocket_connect(whole(filled)))
                assert socket.receive_json()["type"] == "hello"
            assert api.get("/api/jobs").status_code == 200
        finally:
            let_go.set()


def test_replay__of_many_events__counts_as_requests(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "EVENTS_PER_REQUEST", 1)
    most = 20
    assert only(filled, Intake).last > most // 2
    with serving(filled, requests_per_client=most / WINDOW_SECONDS) as api:
        answers = []
        for _ in range(2):
            with api.websocket_connect(whole(filled)) as socket:
                answers.append(socket.receive_json())
        assert [each.get("error") for each in answers] == [None, "too_many_requests"]


def test_replays__of_the_same_events__decode_them_once(
    filled: Engine, decoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "PAGE", 1)
    with serving(filled) as api:
        first = read_all(api, filled)
        seen = len(decoded)
        assert read_all(api, filled) == first != [] and len(decoded) == seen == len(first)


def test_replay__of_one_area__decodes_no_other(filled: Engine, decoded: list[int]) -> None:
    with serving(filled) as api:
        events = read_all(api, filled)
        of_jobs = [int(each["cursor"].partition("-")[2]) for each in events if each["area"] == "job"]
    decoded.clear()
    with serving(filled) as api:
        with api.websocket_connect(whole(filled, "job")) as socket:
            assert socket.receive_json()["type"] == "hello"
            told = [socket.receive_json()["cursor"] for _ in of_jobs]
        assert [int(cursor.partition("-")[2]) for cursor in told] == of_jobs == decoded
        assert len(of_jobs) < len(events)


async def test_turns__of_one_client__are_one_at_a_time_and_of_others_none() -> None:
    reader = ReplayReader(None, lambda *_: [])  # type: ignore[arg-type]
    begun: list[str] = []

    async def replay(client: str, end: asyncio.Event) -> None:
        async with reader.turn(client):
            begun.append(client)
            await end.wait()

    ends = [asyncio.Event() for _ in range(3)]
    tasks = [asyncio.create_task(replay(*each)) for each in zip(("one", "one", "other"), ends, strict=True)]
    for _ in range(9):
        await asyncio.sleep(0)
    assert begun == ["one", "other"]
    for end in ends:
        end.set()
    await asyncio.gather(*tasks)
    assert begun == ["one", "other", "one"] and not reader._turns


def test_pages__more_bytes_than_allowed__the_ones_used_longest_ago_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    page = ReplayPage([FeedEntry(1, None, "s", 1, bytes(1_000))], {1: TopicMessage(1, frozenset(), bytes(1_000))})
    monkeypatch.setattr(replays, "MOST_BYTES", 2 * page.weight)
    assert page.weight > 2_000
    store = PageStore()
    for number in (1, 2, 1, 3):
        store.keep(("i", number), page)
    assert [store.find(("i", number)) is page for number in (1, 2, 3)] == [True, False, True]
    assert store.weight == 2 * page.weight


def test_followers__of_topics__are_found_by_them() -> None:
    followers = TopicFollowers()
    one, other = Subscriber({"job", "host"}), Subscriber({"all"})
    for each in (one, other):
        followers.add(each)
    assert followers.of({"job", "host"}) == {one} and followers.of({"all", "job"}) == {one, other}
    followers.change(one, frozenset({"spot"}))
    assert followers.of({"job", "host"}) == set() and followers.topics == {"spot", "all"}
    followers.discard(one)
    followers.change(one, frozenset({"job"}))
    assert set(followers) == {other} and followers.of({"job"}) == set()


@pytest.mark.parametrize(
    ("words", "is_stale"),
    [({str(number) for number in range(MOST_WORDS + 1)}, False), ({EVERYTHING}, True)],
    ids=["many", "everything"],
)
def test_feed__many_changes__have_no_state_asked_anew(sqlite_engine: Engine, words: set[str], is_stale: bool) -> None:
    """Their events say whose states have changed."""
    with writing(sqlite_engine) as connection:
        write_changes(connection, words)
        [text] = connection.exec_driver_sql("SELECT words FROM change").scalars()
    hub = FeedHub(Status(), ChangeDispatcher("program", Status(), is_told=False))
    hub._note(set(text.split(" ")))
    assert hub._is_stale is is_stale
    answers = KeptAnswers(saying={"job": {("/", b"")}})
    answers.drop(set(text.split(" ")))
    assert not answers.saying
