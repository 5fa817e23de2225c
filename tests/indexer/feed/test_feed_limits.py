"""Limits of the feed, by address or, with a credential, by wallet; each refusal has a close code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from indexer.api.limits.policies import WINDOW_SECONDS
from indexer.api.main import create_app
from indexer.metrics import API
from indexer.settings import IndexerSettings
from tests.indexer.accounts.wallets import sign_in

FEED = "/api/feed?topic=job"
FEW = 5
RATE = FEW / WINDOW_SECONDS


@contextmanager
def api(engine: Engine, **settings: Any) -> Iterator[TestClient]:
    chosen = IndexerSettings(sign_in_domain="market.example", sign_ins_per_client=1_000, **settings)
    with TestClient(create_app(chosen, engine=engine)) as client:
        yield client


def refused(socket: WebSocketTestSession) -> tuple[str, int, str]:
    """The last message's name, and the code and reason that a WebSocket is closed with."""
    last = socket.receive_json()
    assert last["type"] == "error" and last["detail"]
    with pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_json()
    return last["error"], closed.value.code, closed.value.reason


def jobs(many: int) -> str:
    return "/api/feed?" + "&".join(f"topic=job:{Pubkey.new_unique()}" for _ in range(many))


def test_feed__more_connections_than_requests_allowed__is_refused_in_both_forms(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client:
        for _ in range(FEW):
            with client.websocket_connect(FEED) as socket:
                assert socket.receive_json()["type"] == "hello"
        with client.websocket_connect(FEED) as socket:
            assert refused(socket) == ("too_many_requests", 1013, "too_many_requests")
        answer = client.get(FEED)
        assert (answer.status_code, answer.json()["error"]) == (429, "too_many_requests")


def test_feed__clients_that_come_and_go__are_counted_for_prometheus(sqlite_engine: Engine) -> None:
    def following() -> float:
        entered, left = (API.get_sample_value(f"gpu_market_api_feed_{name}_total") or 0 for name in ("entered", "left"))
        return entered - left

    def refused_in_all() -> float:
        return API.get_sample_value("gpu_market_api_feed_refused_total", {"room": "all"}) or 0

    before, had_refused = following(), refused_in_all()
    with api(sqlite_engine, feed_clients=1) as client:
        with client.websocket_connect(FEED) as socket:
            assert socket.receive_json()["type"] == "hello"
            assert following() == before + 1
            with client.websocket_connect(FEED) as other:
                assert refused(other)[0] == "feed_full"
            assert following() == before + 1 and refused_in_all() == had_refused + 1
        with client.websocket_connect(FEED) as socket:
            assert socket.receive_json()["type"] == "hello", "there is room again"
    assert following() == before


def test_feed__states_that_are_asked_for__count_as_requests(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client, client.websocket_connect(jobs(FEW)) as socket:
        assert refused(socket) == ("too_many_requests", 1013, "too_many_requests")
        assert client.get(jobs(1)).status_code == 429


def test_feed__more_topics_than_allowed__is_refused_and_goes_on(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client, client.websocket_connect(FEED) as socket:
        assert socket.receive_json()["type"] == "hello"
        socket.send_json({"subscribe": [f"job:{Pubkey.new_unique()}" for _ in range(FEW)]})
        assert socket.receive_json()["error"] == "too_many_requests"
        socket.send_json({"unsubscribe": 1})
        assert socket.receive_json()["error"] == "not_understood"


@pytest.mark.parametrize("is_subprotocol", [False, True])
def test_feed__signed_in__counts_by_the_wallet(sqlite_engine: Engine, is_subprotocol: bool) -> None:
    limits = {"requests_per_client": RATE, "feed_clients_per_client": 1, "feed_clients_per_wallet": 2}
    with api(sqlite_engine, **limits) as client:
        token = sign_in(client, Keypair())["access_token"]
        asked: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}}
        if is_subprotocol:
            asked = {"subprotocols": ["gpu-market", f"bearer.{token}"]}
        with client.websocket_connect(FEED, **asked) as first, client.websocket_connect(FEED, **asked) as second:
            assert first.accepted_subprotocol == ("gpu-market" if is_subprotocol else None)
            assert {socket.receive_json()["type"] for socket in (first, second)} == {"hello"}
            with client.websocket_connect(FEED, **asked) as third:
                assert refused(third) == ("feed_full", 1013, "feed_full")
        for _ in range(FEW):
            with client.websocket_connect(FEED, **asked) as socket:
                assert socket.receive_json()["type"] == "hello"


@pytest.mark.parametrize("asked", [{"headers": {"Authorization": "Bearer no"}}, {"subprotocols": ["key.no"]}])
def test_feed__credential_that_does_not_count__is_refused(sqlite_engine: Engine, asked: dict[str, Any]) -> None:
    with api(sqlite_engine) as client, client.websocket_connect(FEED, **asked) as socket:
        error, code, reason = refused(socket)
        assert (code, reason) == (3000, error)
        assert error in ("invalid_token", "invalid_api_key")


@pytest.mark.parametrize("query", ["topic=nonsense", "topic=all&host=x"])
def test_feed__what_it_does_not_know__is_refused(sqlite_engine: Engine, query: str) -> None:
    with api(sqlite_engine) as client, client.websocket_connect(f"/api/feed?{query}") as socket:
        assert refused(socket) == ("not_understood", 1008, "not_understood")
