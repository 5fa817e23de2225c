"""The feed of the running service: slow clients, too many, server-sent events, and its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET, create_connection
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from indexer.api.feed import subscriber
from localnet.server import LocalCluster
from tests.indexer.service import indexed, metrics_of, until, until_status
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.program.harness.flows import running
from tests.sweeps import sampled

WORKERS = pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])


@asynccontextmanager
async def following(api: httpx.AsyncClient, *topics: str, **options: Any) -> AsyncIterator[ClientConnection]:
    query = "&".join(f"topic={topic}" for topic in topics)
    async with connect(f"ws://127.0.0.1:{api.base_url.port}/api/feed?{query}", **options) as socket:
        yield socket


async def next_of(socket: ClientConnection, **wanted: str) -> dict[str, Any]:
    """The next message with these values."""
    async with asyncio.timeout(PATIENCE):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            if wanted.items() <= message.items():
                return message


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'index.db'}"


@WORKERS
async def test_feed__event_on_chain__comes_by_itself(
    live: Market, local: LocalCluster, database: str, workers: int
) -> None:
    async with indexed(local, database, workers, poll_interval=60) as api, following(api, "job") as socket:
        await next_of(socket, type="hello")
        job = running(live, live.renter(), listing=live.listings[0])
        assert (await next_of(socket, event="RentalStarted"))["data"]["rental"] == str(job)


async def test_feed__as_server_sent_events__resumes_behind_the_last_id(
    live: Market, local: LocalCluster, database: str
) -> None:
    async with indexed(local, database) as api:
        async with following(api, "job") as socket:
            await next_of(socket, type="hello")
            running(live, live.renter(), listing=live.listings[0])
            opened = await next_of(socket, event="RentalOpened")
            started = await next_of(socket, event="RentalStarted")
        told = await streamed(api, opened["cursor"], last="RentalStarted")
        assert told[-1] == started
        assert "RentalOpened" not in [message.get("event") for message in told]


async def test_feed__head__ends(local: LocalCluster, database: str) -> None:
    async with indexed(local, database) as api:
        answer = await api.head("/api/feed?topic=all")
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("query", sampled(["topic=nonsense", "topic=all&host=x", "topic=all&after=x"], every=3))
async def test_feed__what_it_does_not_know__is_a_problem(local: LocalCluster, database: str, query: str) -> None:
    async with indexed(local, database) as api:
        answer = await api.get(f"/api/feed?{query}")
        assert answer.status_code == 422 and answer.headers["content-type"] == "application/problem+json"


async def test_feed__client_that_does_not_read__is_dropped_with_a_reason(
    live: Market, local: LocalCluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber, "MOST_QUEUED_BYTES", 2_000)
    async with indexed(local, database) as api, following(api, "all", max_queue=1) as slow:
        for _ in range(3):
            job = running(live, live.renter(), listing=live.listings[0])
            live.act(live.stop_rental(job))
        await until_status(api, str(job), "completed")
        with pytest.raises(ConnectionClosed):
            await next_of(slow, event="never")
        assert (slow.close_code, slow.close_reason) == (1013, "too_slow")


@pytest.mark.exhaustive
async def test_feed__client_that_never_reads_again__is_cut_off(
    live: Market, local: LocalCluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber, "MOST_QUEUED_BYTES", 2**40)
    topics = [f"listing:{listing}" for listing in live.listings]
    changes = [json.dumps({word: topics}) for word in ("subscribe", "unsubscribe")]
    generous = {"requests_per_client": 1_000_000, "response_timeout": 0.5}
    async with indexed(local, database, **generous) as api:
        narrow = create_connection(("127.0.0.1", api.base_url.port or 0))
        narrow.setsockopt(SOL_SOCKET, SO_RCVBUF, 4_096)
        narrow.setblocking(False)
        url = f"ws://127.0.0.1:{api.base_url.port}/api/feed"
        async with asyncio.timeout(3 * PATIENCE), connect(url, sock=narrow, max_queue=1, compression=None) as slow:
            with pytest.raises(ConnectionClosed):
                while True:
                    for change in changes:
                        await slow.send(change)
        assert slow.close_code == 1006
        assert 'connections_dropped_total{reason="response"}' in await metrics_of(api)


@pytest.mark.parametrize("setting", ["feed_clients", "feed_clients_per_client"])
async def test_feed__one_client_too_many__is_told_to_try_again(
    local: LocalCluster, database: str, setting: str
) -> None:
    async with indexed(local, database, **{setting: 1}) as api:
        async with following(api, "all") as first:
            await next_of(first, type="hello")
            async with following(api, "all") as second:
                assert (await next_of(second, type="error"))["error"] == "feed_full"
            refused = await api.get("/api/feed?topic=all")
            assert refused.status_code == 503 and refused.headers["retry-after"]
        await until(partial(_is_taken, api))


async def _is_taken(api: httpx.AsyncClient) -> bool:
    async with following(api, "all") as socket:
        return bool(json.loads(await socket.recv())["type"] == "hello")


@WORKERS
async def test_feed__service_stopped__ends_every_client(
    local: LocalCluster, database: str, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async with AsyncExitStack() as clients:
        async with indexed(local, database, workers) as api:
            socket = await clients.enter_async_context(following(api, "all"))
            await next_of(socket, type="hello")
            stream = await clients.enter_async_context(api.stream("GET", "/api/feed?topic=all"))
            lines = stream.aiter_lines()
            assert await anext(lines) == "event: hello"
        with pytest.raises(ConnectionClosed):
            await next_of(socket, event="never")
    assert "shutdown exceeded" not in "".join(capfd.readouterr())


async def streamed(api: httpx.AsyncClient, after: str, last: str) -> list[dict[str, Any]]:
    """The messages of server-sent events up to an event."""
    told: list[dict[str, Any]] = []
    headers = {"Last-Event-ID": after}
    async with asyncio.timeout(PATIENCE), api.stream("GET", "/api/feed?topic=job", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                told.append(json.loads(line.removeprefix("data: ")))
                if told[-1].get("event") == last:
                    break
    return told
