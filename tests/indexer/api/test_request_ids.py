"""A request is found by its id in its answer, in the service's log, and in the calls that it made to the node."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.http.request_ids import HEADER
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.service import until
from tests.market_cli.test_secrets import COMMAND, environment
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

WALLET = "So11111111111111111111111111111111111111112"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({HEADER: "order-7.a_b"}, "order-7.a_b"),
        ({"traceparent": TRACEPARENT}, TRACE),
        ({HEADER: "mine", "traceparent": TRACEPARENT}, "mine"),
        ({HEADER: "two words", "traceparent": TRACEPARENT}, TRACE),
    ],
)
def test_request_id__named_by_the_client__is_answered(
    sqlite_engine: Engine, headers: dict[str, str], named: str
) -> None:
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine)) as api:
        assert api.get("/api/gpus", headers=headers).headers[HEADER] == named
        refused = api.get("/api/jobs/x", headers=headers)
        assert refused.headers[HEADER] == refused.json()["request_id"] == named


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {HEADER: "x" * 129},
        {HEADER: 'a"b'},
        {"traceparent": f"ff-{TRACE}-00f067aa0ba902b7-01"},
        {"traceparent": f"00-{'0' * 32}-00f067aa0ba902b7-01"},
        {"traceparent": f"00-{TRACE}-{'0' * 16}-01"},
    ],
)
def test_request_id__none_that_is_valid__is_made(sqlite_engine: Engine, headers: dict[str, str]) -> None:
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine)) as api:
        made = {api.get("/api/gpus", headers=headers).headers[HEADER] for _ in range(2)}
    assert len(made) == 2 and all(len(each) == 32 and each != TRACE for each in made)


def test_request_id__of_a_bug__is_in_its_answer(sqlite_engine: Engine) -> None:
    app = create_app(IndexerSettings(), engine=sqlite_engine)

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    with TestClient(app, raise_server_exceptions=False) as api:
        answer = api.get("/broken", headers={HEADER: "bug-1"})
    assert answer.status_code == 500
    assert answer.headers[HEADER] == answer.json()["request_id"] == "bug-1"


@pytest.mark.exhaustive
async def test_indexer__json_logs__find_a_request_by_its_id(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    port = free_ports()
    async with Proxy(local.http_url) as node:
        env = environment(node, tmp_path, GPU_MARKET_PORT=str(port), GPU_MARKET_RPC_URL=node.url) | {
            "GPU_MARKET_DATABASE_URL": f"sqlite:///{tmp_path / 'index.db'}",
            "GPU_MARKET_WS_URL": local.ws_url,
        }
        service = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", COMMAND, "--verbose", "indexer", "run", "--log-format", "json"),
            env=env,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as api:

                async def healthy() -> bool:
                    try:
                        return (await api.get("/health")).status_code == 200
                    except httpx.TransportError:
                        return False

                await until(healthy, seconds=60)
                await api.get(f"/api/quota/{WALLET}", headers={HEADER: "asks-the-node"})
                node.statuses["getMultipleAccounts"] = 403
                failed = await api.get(f"/api/quota/{WALLET}", headers={"traceparent": TRACEPARENT})
        finally:
            service.terminate()
            async with asyncio.timeout(PATIENCE):
                _, said = await service.communicate()
    lines: list[dict[str, Any]] = [json.loads(line) for line in said.decode().splitlines()]
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)

    def of(request: str) -> list[str]:
        return [line["event"] for line in lines if line.get("request_id") == request]

    *calls, answered_last = of("asks-the-node")
    assert set(calls) == {"node called"} and answered_last == "request answered"
    assert failed.status_code == 502 and failed.json()["request_id"] == TRACE
    assert of(TRACE)[-2:] == ["the node failed", "request answered"] and "node called" in of(TRACE)
    assert {line["trace_id"] for line in lines if line.get("request_id") == TRACE} == {TRACE}
    [answered] = [line for line in lines if line.get("request_id") == "asks-the-node" and "path" in line]
    assert (answered["method"], answered["path"], answered["status"]) == ("GET", f"/api/quota/{WALLET}", 200)
    assert [line for line in lines if line["event"] == "indexer ready" and "request_id" not in line]
