"""The feed: every event once, in the index's order, from any cursor on; states as they change. Invariant IDX-6."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, update
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from anchor_client.generated.events import EVENTS
from anchor_idl.runtime.layouts import PUBKEY
from indexer.api.feed.topics import AREAS, FIELDS
from indexer.api.main import create_app
from indexer.changes.words import EVERYTHING
from indexer.changes.writer import write_changes
from indexer.index.follow import Follower
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Intake, Rental
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import writing
from tests.indexer.databases import on_both_databases
from tests.indexer.node import ScriptedNode
from tests.indexer.tables import only
from tests.markets.recorded import Market
from tests.program.harness.flows import opened, running
from tests.sweeps import sampled

UNTOLD = {"market", "listings", "mint", "vault", "pool", "catalog", "treasury", "guardian", "market_mint"}
UNTOLD |= {"payment_mint", "token_account", "profile", "meter", "stake", "gpu_model", "account", "old", "new"}
"""Fields that name nothing that anybody follows by its address."""


@pytest.fixture
def status(market: Market) -> Status:
    clock, status = market.node.clock, Status()
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    return status


@pytest.fixture
def job(market: Market) -> Pubkey:
    return running(market, market.renter(), listing=market.listings[0])


@pytest.fixture
def api(market: Market, job: Pubkey, engine: Engine, writer: Engine, status: Status) -> Iterator[TestClient]:
    ingest(market.transactions(), writer)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        yield client


def feed(api: TestClient, *topics: str, after: str | None = None) -> AbstractContextManager[WebSocketTestSession]:
    chosen = "&".join(f"topic={topic}" for topic in topics)
    return api.websocket_connect(f"/api/feed?{chosen}" + ("" if after is None else f"&after={after}"))


def until(socket: WebSocketTestSession, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The messages up to one that is wanted."""
    messages = [socket.receive_json()]
    while not wanted(messages[-1]):
        messages.append(socket.receive_json())
    return messages


def stop(market: Market, job: Pubkey) -> None:
    market.act(market.stop_rental(job))


def settled(job: dict[str, Any]) -> dict[str, Any]:
    """A job without what changes by the second."""
    return {name: value for name, value in job.items() if name not in ("progress", "carbon_grams")}


def is_event(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda message: message.get("event") == name


@on_both_databases
def test_feed__event_of_a_followed_job__comes_with_its_state(
    market: Market, job: Pubkey, api: TestClient, writer: Engine
) -> None:
    with feed(api, f"job:{job}") as socket:
        hello, before = socket.receive_json(), socket.receive_json()
        assert (hello["type"], hello["final_slot"]) == ("hello", None)
        assert (before["type"], before["topic"]) == ("state", f"job:{job}")
        assert settled(before["data"]) == settled(api.get(f"/api/jobs/{job}").json())
        stop(market, job)
        ingest(market.transactions(), writer)
        *_, closed = until(socket, is_event("RentalClosed"))
        assert closed["status"] == "final" and closed["area"] == "job"
        assert closed["data"]["rental"] == str(job) and closed["data"]["refunded"].isdecimal()
        *_, after = until(socket, lambda message: message["type"] == "state")
        assert after["data"]["status"] == "completed" and after["data"] == api.get(f"/api/jobs/{job}").json()
        assert after["data"]["ended_at"] == closed["ts"]


def test_feed__event_of_another_job__does_not_come(
    market: Market, job: Pubkey, api: TestClient, writer: Engine
) -> None:
    machine = market.list_machine()
    with feed(api, f"job:{job}") as socket:
        until(socket, lambda message: message["type"] == "state")
        opened(market, market.renter(), listing=machine)
        stop(market, job)
        ingest(market.transactions(), writer)
        first = socket.receive_json()
        assert first["data"].get("rental") == str(job)


def test_feed__wallet_or_host__hears_of_events_that_do_not_name_it(
    market: Market, job: Pubkey, api: TestClient, writer: Engine
) -> None:
    told = api.get(f"/api/jobs/{job}").json()
    host = api.get(f"/api/marketplace/listings/{told['listing']}").json()["host_authority"]
    with feed(api, f"wallet:{told['renter']}", f"host:{host}") as socket:
        until(socket, lambda message: message["type"] == "state")
        stop(market, job)
        ingest(market.transactions(), writer)
        *_, closed = until(socket, is_event("RentalClosed"))
        assert {f"wallet:{told['renter']}", f"host:{host}", f"job:{job}"} <= set(closed["topics"])


@on_both_databases
def test_feed__resumed_at_every_cursor__has_no_gap_and_no_repeat(api: TestClient, engine: Engine) -> None:
    last = only(engine, Intake).last
    with feed(api, "all", after=f"{only(engine, Intake).id}-0") as socket:
        whole = until(socket, lambda message: message.get("cursor", "").endswith(f"-{last}"))
    events = [message for message in whole if message["type"] == "event"]
    assert [int(event["cursor"].partition("-")[2]) for event in events] == list(range(1, last + 1))
    for index, event in enumerate(events[:-1]):
        with feed(api, "all", after=event["cursor"]) as socket:
            assert socket.receive_json()["type"] == "hello"
            assert socket.receive_json() == events[index + 1]


def test_feed__while_events_come__none_is_lost_between_history_and_news(
    market: Market, job: Pubkey, api: TestClient, writer: Engine, engine: Engine
) -> None:
    seen = len(market.transactions())
    stop(market, job)
    for _ in range(5):
        stop(market, running(market, market.renter(), listing=market.listings[0]))
    later = market.transactions()[seen:]
    with feed(api, "all", after=f"{only(engine, Intake).id}-0") as socket:
        for transaction in later:
            ingest([transaction], writer)
        last = only(engine, Intake).last
        messages = until(socket, lambda message: message.get("cursor", "").endswith(f"-{last}"))
    numbers = [int(message["cursor"].partition("-")[2]) for message in messages if message["type"] == "event"]
    assert numbers == list(range(1, last + 1))


@pytest.mark.parametrize("after", ["0123456789abcdef-1", "ID-999999999"])
def test_feed__cursor_of_another_index__says_to_begin_anew(api: TestClient, engine: Engine, after: str) -> None:
    id = only(engine, Intake).id
    with feed(api, "all", after=after.replace("ID", id)) as socket:
        hello, reset = socket.receive_json(), socket.receive_json()
    assert reset["type"] == "reset" and reset["cursor"] == hello["cursor"]
    assert hello["cursor"] == f"{id}-{only(engine, Intake).last}"


@pytest.mark.parametrize(
    "query",
    sampled(
        ["topic=nonsense", "topic=job:abc", f"topic=job:{'1' * 44}", "after=1", "topic=all&host=x", "topic=job"],
        every=3,
    ),
)
def test_feed__what_it_does_not_know__is_refused_with_a_reason(api: TestClient, query: str) -> None:
    with api.websocket_connect(f"/api/feed?{query}") as socket:
        if query == "topic=job":
            assert socket.receive_json()["type"] == "hello"
            return
        assert socket.receive_json()["error"] == "not_understood"
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
    assert closed.value.code == 1008


def test_feed__topics_changed_on_the_way__take_effect(
    market: Market, job: Pubkey, api: TestClient, writer: Engine
) -> None:
    with feed(api, "governance") as socket:
        assert socket.receive_json()["type"] == "hello"
        socket.send_json({"subscribe": [f"job:{job}", "network"], "unsubscribe": ["governance"]})
        states = [socket.receive_json(), socket.receive_json()]
        assert {state["topic"] for state in states} == {f"job:{job}", "network"}
        socket.send_json({"subscribe": ["nothing"]})
        assert socket.receive_json()["error"] == "not_understood"
        stop(market, job)
        ingest(market.transactions(), writer)
        until(socket, is_event("RentalClosed"))


@on_both_databases
async def test_feed__confirmed_event_that_vanishes__is_withdrawn(market: Market, engine: Engine) -> None:
    running(market, market.renter(), listing=market.listings[0])
    node, status = ScriptedNode(market), Status()
    node.final_slot = market.node.slot
    settings = IndexerSettings(database_url="sqlite://", commitment="confirmed", reconcile_interval=10**9)
    follower = Follower(settings, engine, node, status)  # type: ignore[arg-type]
    await follower.catch_up()
    market.wait(5)
    lost = opened(market, market.renter(), listing=market.list_machine())
    orphaned = len(node.results)
    node.learn()
    await follower.catch_up()
    app = create_app(IndexerSettings(), engine=engine, status=status)
    begin = f"{only(engine, Intake).id}-0"
    with TestClient(app) as api, feed(api, f"job:{lost}", after=begin) as socket:
        *_, pending = until(socket, is_event("RentalOpened"))
        assert pending["status"] == "pending"
        node.orphaned = node.hidden = set(list(node.results)[orphaned:])
        for _ in range(2):
            market.wait(5)
            node.final_slot = market.node.slot
            await follower.catch_up()
        *_, withdrawn = until(socket, lambda message: message["type"] == "withdrawn")
        assert withdrawn["of"] == pending["cursor"] and withdrawn["data"] == pending["data"]


def test_feed__projections_rebuilt__states_are_told_anew(job: Pubkey, api: TestClient, writer: Engine) -> None:
    with feed(api, f"job:{job}") as socket:
        before = until(socket, lambda message: message["type"] == "state")[-1]
        with writing(writer) as connection:
            connection.execute(update(Rental.table).values(deposit=1))
            write_changes(connection, [EVERYTHING])
        assert socket.receive_json()["data"]["deposit"] == "1"
        rebuild(writer)
        assert settled(socket.receive_json()["data"]) == settled(before["data"])


def test_topics__every_field_that_is_an_address__is_followed_or_said_not_to_be() -> None:
    for event in EVENTS.values():
        named = {name for name, layout in event.LAYOUT.layouts.items() if layout is PUBKEY}
        assert named <= FIELDS.keys() | UNTOLD, event.__name__


def test_areas__are_those_of_the_program_with_a_job_for_a_rental() -> None:
    assert set(AREAS.values()) == {
        "market", "host", "job", "spot", "request", "charges", "mfp", "staking", "governance",
    }  # fmt: skip
