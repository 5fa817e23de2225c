"""Webhooks: they say "look again" and nothing else, and no flood of them makes more than one look wait."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine

from anchor_client.service.errors import BadSetting
from indexer.api.workers.worker import server_of
from indexer.errors import HooksUnserved
from indexer.hooks import MAX_HOOK_BYTES, Wake, hooks_app, listen_for_hooks
from indexer.index.follow import Follower
from indexer.settings import IndexerSettings
from indexer.status import Status
from localnet.server import LocalCluster
from tests.indexer.node import ScriptedNode
from tests.indexer.service import indexed, until_status
from tests.markets.recorded import Market, result_of
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.program.harness.flows import running

SECRET = "a secret of the operator's"
DEAF = "ws://127.0.0.1:9"
NEVER = 600.0


class Deaf:
    """A cluster whose PubSub cannot be reached."""

    def __init__(self, http_url: str) -> None:
        self.http_url, self.ws_url = http_url, DEAF


@asynccontextmanager
async def hooks(wakes: list[None], wake: Wake = lambda: None) -> AsyncIterator[httpx.AsyncClient]:
    """The server alone."""

    def woken() -> None:
        wakes.append(None)
        wake()

    with listen_for_hooks(0) as listener:
        server = server_of(IndexerSettings(), hooks_app(SECRET, woken))
        serving = asyncio.create_task(server.serve([listener]))
        await server.ready.wait()
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            async with httpx.AsyncClient(base_url=url, headers={"Authorization": SECRET}, timeout=PATIENCE) as client:
                yield client
        finally:
            server.should_exit = True
            await serving


def told(market: Market, count: int = 1) -> bytes:
    """A provider's request body."""
    return json.dumps([result_of(record) for record in market.records[-count:]]).encode()


async def test_hook__raw_transactions__wake(market: Market) -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        answer = await client.post("/hooks/transactions", content=told(market, 3))
    assert (answer.status_code, answer.content, len(wakes)) == (204, b"", 1)


@pytest.mark.parametrize("given", [None, "", "another secret", SECRET[:-1], f"Bearer {SECRET}", "ä"])
async def test_hook__wrong_secret__is_refused(market: Market, given: str | None) -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        del client.headers["Authorization"]
        headers = {} if given is None else {"Authorization": given.encode()}
        answer = await client.post("/hooks/transactions", content=told(market), headers=headers)
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["error"], wakes) == (401, "hook_refused", [])
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"transaction": {}}',
        b'[{"slot": 1}]',
        b'[{"slot": -1, "transaction": {"signatures": ["x"]}}]',
        b'[{"slot": 1, "transaction": {"signatures": []}}]',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
async def test_hook__no_raw_transactions__is_refused(body: bytes) -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        answer = await client.post("/hooks/transactions", content=body)
    assert (answer.status_code, answer.json()["error"], wakes) == (422, "invalid_hook", [])


async def test_hook__of_no_transaction__does_not_wake() -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        answer = await client.post("/hooks/transactions", content=b"[]")
    assert (answer.status_code, wakes) == (204, [])


async def test_hook__too_large__is_refused_before_it_is_sent() -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        head = f"POST /hooks/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: {SECRET}\r\nContent-Length: "
        writer.write(f"{head}{MAX_HOOK_BYTES + 1}\r\n\r\n[".encode())
        status = await reader.readline()
        writer.close()
    assert (status.split()[1], wakes) == (b"413", [])


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/hooks/transactions", 405), ("POST", "/", 404)])
async def test_hook__elsewhere__is_refused(method: str, path: str, status: int) -> None:
    wakes: list[None] = []
    async with hooks(wakes) as client:
        answer = await client.request(method, path)
    assert (answer.status_code, wakes) == (status, [])


async def test_hook__flood_while_a_look_lasts__costs_one_more(market: Market, engine: Engine) -> None:
    settings = IndexerSettings(ws_url=DEAF, poll_interval=NEVER, idle_interval=NEVER)
    follower = Follower(settings, engine, ScriptedNode(market), Status())
    looks, may_end = asyncio.Queue[None](), asyncio.Semaphore(0)

    async def look() -> None:
        looks.put_nowait(None)
        await may_end.acquire()

    async def deaf() -> None:
        await asyncio.Event().wait()

    follower.catch_up = look  # type: ignore[method-assign]
    # A subscription that cannot be had has the chain looked at as well.
    follower._source.run = deaf  # type: ignore[method-assign]
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group, hooks([], follower.wake) as client:
        running = group.create_task(follower.run())
        await looks.get()
        answers = await asyncio.gather(*(client.post("/hooks/transactions", content=told(market)) for _ in range(200)))
        assert {answer.status_code for answer in answers} == {204}
        may_end.release()
        await looks.get()
        may_end.release()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await looks.get()
        running.cancel()


async def test_indexer__deaf_but_for_hooks__reads_what_they_tell_of(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    port = free_ports()
    changes = {"poll_interval": NEVER, "idle_interval": NEVER, "hooks_port": port, "hooks_secret": SECRET}
    async with indexed(Deaf(local.http_url), f"sqlite:///{tmp_path / 'index.db'}", **changes) as api:
        rental = running(live, live.renter(), listing=live.listings[0])
        async with httpx.AsyncClient(headers={"Authorization": SECRET}, timeout=PATIENCE) as provider:

            async def hooked() -> None:
                while True:
                    await provider.post(f"http://127.0.0.1:{port}/hooks/transactions", content=told(live))
                    await asyncio.sleep(0.2)

            sending = asyncio.create_task(hooked())
            await until_status(api, str(rental), "running")
            sending.cancel()


def test_listen_for_hooks__port_taken__is_told() -> None:
    with listen_for_hooks(0) as listener:
        listener.listen()
        with pytest.raises(HooksUnserved, match=str(listener.getsockname()[1])):
            listen_for_hooks(listener.getsockname()[1])


@pytest.mark.parametrize("secret", [None, "too short"])
def test_settings__hooks_without_a_secret__are_refused(secret: str | None) -> None:
    with pytest.raises(BadSetting, match="hooks_secret"):
        IndexerSettings(hooks_port=1, hooks_secret=secret)
