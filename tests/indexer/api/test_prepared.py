"""Kept answers: given again as they are until what they say changes, whoever changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError

from anchor_client.generated.pdas import find_meter
from indexer.api.http.compact import Representation
from indexer.api.kept import answers as prepared
from indexer.api.kept.answers import canonical
from indexer.api.kept.dependence import AnswerDependence
from indexer.api.main import create_app
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import KEPT, write_changes
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import writing
from tests.indexer.databases import SQLITE, in_time, on_both_databases
from tests.markets.recorded import Market
from tests.program.harness import charges
from tests.program.harness.changes import post_price
from tests.program.harness.flows import running
from tests.program.harness.terms import WSOL_PRICE


class Still(Status):
    """The chain's time stands still until it is told: what says how far a job is holds for one second."""

    def now(self) -> int:
        return self._unix_timestamp


@pytest.fixture
def status(market: Market) -> Status:
    clock, status = market.node.clock, Still()
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    return status


@pytest.fixture
def jobs(market: Market) -> list[Pubkey]:
    """Two running rentals, of two renters."""
    machine = market.list_machine()
    return [
        running(market, market.renter(), listing=market.listings[0]),
        running(market, market.renter(), listing=machine),
    ]


@pytest.fixture
def api(market: Market, jobs: list[Pubkey], engine: Engine, status: Status) -> Iterator[TestClient]:
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        yield client


def selects(engine: Engine) -> Callable[[], int]:
    """Returns a counter of reads for answers since its last call; those for sending webhooks are left out."""
    seen: list[str] = []

    def executed(_: object, __: object, statement: str, *___: object) -> None:
        beside = "FROM webhook" in statement or "FROM saved_search" in statement
        if statement.startswith("SELECT") and not beside:
            seen.append(statement)

    event.listen(engine, "before_cursor_execute", executed)

    def count() -> int:
        number = len(seen)
        seen.clear()
        return number

    return count


def kept(api: TestClient, engine: Engine, *paths: str) -> None:
    """Asks until each path is answered without the database."""
    asked = selects(engine)

    def all_kept() -> None:
        asked()
        for path in paths:
            api.get(path)
        assert asked() == 0

    in_time(all_kept)


@on_both_databases
def test_get__asked_again__does_not_read_the_database(api: TestClient, jobs: list[Pubkey], engine: Engine) -> None:
    kept(api, engine, f"/api/jobs/{jobs[0]}", "/api/jobs", "/api/gpus", "/api/network", "/api/marketplace/listings")


@on_both_databases
def test_get__one_job_changed_by_another_process__only_its_answer_is_made_anew(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, writer: Engine
) -> None:
    changed, other = (f"/api/jobs/{job}" for job in jobs)
    kept(api, engine, changed, other)
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), writer)

    def told() -> None:
        assert api.get(changed).json()["status"] == "completed"

    in_time(told)
    kept(api, engine, changed)
    asked = selects(engine)
    assert api.get(other).json()["status"] == "running"
    assert asked() == 0


@on_both_databases
def test_get__job_gets_a_meter__names_it_at_once(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, writer: Engine
) -> None:
    with_one, other = (f"/api/jobs/{job}" for job in jobs)
    market.act(charges.set_charges(market.listings[0]))
    ingest(market.transactions(), writer)
    kept(api, engine, with_one, other)
    market.act(charges.open_meter(market, jobs[0]))
    ingest(market.transactions(), writer)

    def told() -> None:
        assert api.get(with_one).json()["meter"] == str(find_meter(jobs[0])[0])

    in_time(told)
    asked = selects(engine)
    assert api.get(other).json()["meter"] is None
    assert asked() == 0


@on_both_databases
def test_get__everything_rebuilt__is_made_anew(
    api: TestClient, jobs: list[Pubkey], engine: Engine, writer: Engine
) -> None:
    kept(api, engine, "/api/jobs")
    asked = selects(engine)
    rebuild(writer)

    def made_anew() -> None:
        api.get("/api/jobs")
        assert asked() > 0

    in_time(made_anew)


@pytest.mark.parametrize("engine", [SQLITE], indirect=True)
def test_get__more_commits_missed_than_are_kept__everything_is_made_anew(
    api: TestClient, jobs: list[Pubkey], engine: Engine, writer: Engine
) -> None:
    """On PostgreSQL each commit is read as it is told, so that none is missed."""
    kept(api, engine, "/api/jobs")
    asked = selects(engine)
    with writing(writer) as connection:
        for _ in range(KEPT + 2):
            write_changes(connection, ["nothing-that-is-asked-for"])
    api.get("/api/jobs")
    assert asked() > 0


@pytest.mark.parametrize("path", ["/api/jobs", "/api/gpus", "/api/network", "/api/marketplace/listings"])
def test_get__what_says_something_of_many_changes__is_made_anew_once_its_time_is_over(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(prepared, "PACE_SECONDS", 1_000.0)
    kept(api, engine, path)
    before = api.get(path).content
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), engine)
    assert api.get(path).content == before
    monkeypatch.setattr(prepared, "PACE_SECONDS", 0.0)

    def made_anew() -> None:
        assert api.get(path).content != before

    in_time(made_anew)


OF_MANY = ["/api/jobs", "/api/jobs?status=completed&limit=1", "/api/gpus", "/api/network", "/api/marketplace/listings"]


@pytest.mark.parametrize("coding", ["gzip", "identity"])
@pytest.mark.parametrize("path", OF_MANY)
def test_get__made_anew_without_its_route__is_what_the_route_answers(
    api: TestClient,
    market: Market,
    jobs: list[Pubkey],
    engine: Engine,
    status: Status,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    coding: str,
) -> None:
    monkeypatch.setattr(prepared, "PACE_SECONDS", 0.0)
    asked = {"Accept-Encoding": coding}
    before = api.get(path, headers=asked)
    again, remade = prepared._again, list[object]()

    async def seen(*arguments: Any) -> Any:
        remade.append(await again(*arguments))
        return remade[-1]

    monkeypatch.setattr(prepared, "_again", seen)
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), engine)

    def made_anew() -> None:
        assert api.get(path, headers=asked).content != before.content

    in_time(made_anew)
    assert remade and None not in remade
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as another:
        first, anew = another.get(path, headers=asked), api.get(path, headers=asked)
    assert anew.content == first.content
    told = ("content-type", "content-length", "content-encoding", "etag", "vary")
    assert {name: anew.headers.get(name) for name in told} == {name: first.headers.get(name) for name in told}


def test_get__cannot_be_made_anew__is_refused_as_its_route_refuses_it(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "PACE_SECONDS", 0.0)
    kept(api, engine, "/api/jobs")
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), engine)

    def broken(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    def refused() -> None:
        answer = api.get("/api/jobs")
        assert (answer.status_code, answer.json().get("error")) == (503, "database_unavailable")

    event.listen(engine, "before_cursor_execute", broken)
    in_time(refused)
    event.remove(engine, "before_cursor_execute", broken)
    assert {job["status"] for job in api.get("/api/jobs").json()["jobs"]} == {"completed", "running"}


def test_get__made_anew_larger_than_what_is_kept__is_answered_and_not_kept(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "PACE_SECONDS", 0.0)
    kept(api, engine, "/api/jobs")
    monkeypatch.setattr(prepared, "LARGEST", 10)
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), engine)
    both = {"completed", "running"}

    def made_anew() -> None:
        assert {job["status"] for job in api.get("/api/jobs").json()["jobs"]} == both

    in_time(made_anew)
    asked = selects(engine)
    for _ in range(2):
        made_anew()
        assert asked() > 0


def test_get__etag_of_what_it_has__is_not_modified(api: TestClient, market: Market, jobs: list[Pubkey]) -> None:
    path = f"/api/jobs/{jobs[0]}"
    first = api.get(path)
    same = api.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
    weak = api.get(path, headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert weak.status_code == 304
    assert api.get(path, headers={"If-None-Match": '"other"'}).content == first.content
    assert api.head(path, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_get__changed__has_another_etag(api: TestClient, market: Market, jobs: list[Pubkey], writer: Engine) -> None:
    path = f"/api/jobs/{jobs[0]}"
    etag = api.get(path).headers["etag"]
    market.pass_time(60)
    market.act(market.stop_rental(jobs[0]))
    ingest(market.transactions(), writer)

    def made_anew() -> None:
        answer = api.get(path, headers={"If-None-Match": etag})
        assert answer.status_code == 200 and answer.headers["etag"] != etag

    in_time(made_anew)


def test_listings__host_falls_silent__are_made_anew_in_time(api: TestClient, market: Market, status: Status) -> None:
    path = f"/api/marketplace/listings/{market.listings[0]}"
    listing = api.get(path).json()
    account = market.market()
    clock = market.node.clock
    last = listing["last_heartbeat_at"] + account.offline_after
    status.saw_head(clock.slot, last, account)
    assert api.get(path).json()["online"]
    status.saw_head(clock.slot, last + 1, account)
    assert not api.get(path).json()["online"]


def test_listings__heard_from_again__fall_silent_later(
    api: TestClient, market: Market, engine: Engine, status: Status
) -> None:
    path = f"/api/marketplace/listings/{market.listings[0]}"
    account, clock = market.market(), market.node.clock
    last = api.get(path).json()["last_heartbeat_at"]
    market.wait(account.offline_after // 2)
    market.beat()
    ingest(market.transactions(), engine)
    heard = market.node.clock.unix_timestamp
    assert heard > last

    def told() -> None:
        assert api.get(path).json()["last_heartbeat_at"] == heard

    in_time(told)
    for moment, online in ((last + account.offline_after + 1, True), (heard + account.offline_after + 1, False)):
        status.saw_head(clock.slot, moment, account)
        assert api.get(path).json()["online"] is online


@pytest.mark.parametrize("engine", [SQLITE], indirect=True)
def test_machines__many_answers_made__ask_once_when_the_next_falls_silent(
    api: TestClient, market: Market, engine: Engine
) -> None:
    seen: list[str] = []

    def executed(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith("SELECT min(listing.last_heartbeat_at)"):
            seen.append(statement)

    event.listen(engine, "before_cursor_execute", executed)
    paths = ["/api/gpus", "/api/network", "/api/marketplace/listings"]
    for path in paths:
        api.get(path)
    assert len(seen) == 1
    market.pass_time(60)
    ingest(market.transactions(), engine)
    for path in paths:
        api.get(f"{path}?limit=1" if path.endswith("listings") else path)
    assert len(seen) == 2


def test_get__price_posted__leaves_jobs_as_they_are(
    api: TestClient, market: Market, jobs: list[Pubkey], engine: Engine, writer: Engine
) -> None:
    kept(api, engine, f"/api/jobs/{jobs[0]}", "/api/gpus")
    market.act(post_price(WSOL_PRICE))
    ingest(market.transactions(), writer)
    asked = selects(engine)

    def gpus_made_anew() -> None:
        api.get("/api/gpus")
        assert asked() > 0

    in_time(gpus_made_anew)
    api.get(f"/api/jobs/{jobs[0]}")
    assert asked() == 0


async def test_get__many_at_once__are_made_once(market: Market, jobs: list[Pubkey], engine: Engine) -> None:
    ingest(market.transactions(), engine)
    app = create_app(IndexerSettings(), engine=engine, status=Status())
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://api") as api,
    ):
        await api.get("/health")
        asked = selects(engine)
        await api.get(f"/api/jobs/{jobs[0]}")
        once = asked()
        answers = await asyncio.gather(*(api.get(f"/api/jobs/{jobs[1]}") for _ in range(8)))
        assert asked() == once
        assert {answer.json()["id"] for answer in answers} == {str(jobs[1])}


def test_get__unknown_job__is_not_kept(api: TestClient, engine: Engine) -> None:
    asked = selects(engine)
    for _ in range(2):
        assert api.get("/api/jobs/So11111111111111111111111111111111111111112").status_code == 404
        assert asked() > 0


SPELLINGS = [
    b"limit=5&renter=abc",
    b"renter=abc&limit=5",
    b"renter=%61bc&limit=%35",
    b"&limit=5&&renter=abc&",
    b"lim%69t=5&renter=ab%63",
]


def test_canonical__one_query__is_the_same_however_it_is_written() -> None:
    """Invariant IDX-12."""
    assert {canonical(each) for each in SPELLINGS} == {SPELLINGS[0]}
    assert canonical(b"gpu=b&gpu=a") == b"gpu=b&gpu=a" != canonical(b"gpu=a&gpu=b")
    assert canonical(b"text=") == b"text=" and canonical(b"") == b""


def test_get__one_query_in_many_spellings__does_not_read_the_database(
    api: TestClient, jobs: list[Pubkey], engine: Engine
) -> None:
    """Invariant IDX-12."""
    queries = [
        "limit=5&status=running",
        "status=running&limit=5",
        "limit=%35&status=runnin%67",
        "&status=running&limit=5",
    ]
    kept(api, engine, f"/api/jobs?{queries[0]}")
    asked = selects(engine)
    for query in queries[1:]:
        assert api.get(f"/api/jobs?{query}").status_code == 200
    assert asked() == 0


def test_kept__more_bytes_than_allowed__the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Invariant IDX-12."""
    body = bytes(100_000)
    one = 2 * len(body) + prepared.OVERHEAD
    monkeypatch.setattr(prepared, "MOST_BYTES", 3 * one)
    store = prepared.KeptAnswers()
    depends = AnswerDependence(frozenset({"rental"}), is_of_many=True)
    answer = Representation({"type": "http.response.start", "status": 200, "headers": []}, body)

    def keep(number: int) -> None:
        kept = prepared.KeptAnswer(depends, None, answer, None, None, 0.0, None)
        store.keep(("/", str(number).encode()), kept)

    for number in (*range(10), 9, 9):
        keep(number)
        assert store.weight == len(store.answers) * one <= prepared.MOST_BYTES
    assert [query for _, query in store.answers] == [b"7", b"8", b"9"] and len(store.saying["rental"]) == 3
    store.drop({EVERYTHING})
    assert store.weight == 0
