"""docs/deploy.md, executed: its commands alone, on an empty cluster, up to a second wallet's running rental."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from solders.clock import Clock
from solders.sysvar import CLOCK
from xprocess import XProcess

from tests.docs.pages import ROOT, commands_under
from tests.e2e.pages.page_reader import Reader, Where, docker_agent, healthy, simulated_agent
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.indexer.service import until
from tests.processes import embedded, validator
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

PAGE = (ROOT / "docs/deploy.md").read_text()
STAKERS_SECONDS = 31
"""In which only stakers take a machine that has fallen idle."""


async def call(rpc_url: str, method: str, *params: Any) -> Any:
    """Calls the node; returns the result."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        answer = await client.post(rpc_url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert "result" in answer.json(), answer.text
        return answer.json()["result"]


async def warp(rpc_url: str) -> None:
    """Moves the embedded cluster's clock past the stakers' time."""
    await call(rpc_url, "cheat_warp", {"seconds": STAKERS_SECONDS})


async def sit_through(rpc_url: str) -> None:
    """Waits until the stakers' time has passed by the clock that the program reads: finalized time lags unevenly."""

    async def now() -> int:
        encoding = {"commitment": "confirmed", "encoding": "base64"}
        clock = (await call(rpc_url, "getAccountInfo", str(CLOCK), encoding))["value"]["data"][0]
        return Clock.from_bytes(b64decode(clock)).unix_timestamp

    end = await now() + STAKERS_SECONDS

    async def passed() -> bool:
        return await now() > end

    await until(passed, 3 * PATIENCE)


@asynccontextmanager
async def market(
    where: Where, folder: Path, let_pass: Callable[[str], Awaitable[None]]
) -> AsyncIterator[tuple[Reader, str]]:
    """An operator, a host and a renter, each with the page's own section; the renter and what `rent` told them."""
    async with AsyncExitStack() as stack:
        operator = Reader(PAGE, folder / "operator", where, stack)
        await operator.follow("Open the market")
        await operator.follow("Run it")
        await healthy(where.api_url)
        places = {"market.json": str(folder / "operator/market.json")}
        host = Reader(PAGE, folder / "host", where, stack)
        offering = commands_under(PAGE, "A host")
        approval = next(index for index, words in enumerate(offering) if words[2] == "approve")
        for words in offering[:approval]:
            await host.run(words, places)
        address = (await asyncio.to_thread(host.console.json, "wallet", "show", "--rpc", where.rpc_url))["address"]
        await operator.run(offering[approval], {"HOST": address})
        for words in offering[approval + 1 :]:
            await host.run(words, places)
        await let_pass(where.rpc_url)
        renter = Reader(PAGE, folder / "renter", where, stack)
        *_, told = await renter.follow("A renter", **places)
        [job] = await asyncio.to_thread(renter.console.json, "jobs", "--rpc", where.rpc_url)
        assert job["status"].lower() == "running"
        assert job["renter"] != address
        yield renter, told


@pytest.mark.exhaustive
async def test_deploy_page__its_commands_alone__let_a_second_wallet_rent(xprocess: XProcess, tmp_path: Path) -> None:
    with embedded.running(xprocess) as (rpc_url, _):
        where = Where(rpc_url, f"http://127.0.0.1:{free_ports()}", simulated_agent)
        async with market(where, tmp_path, warp) as (_, told):
            assert "password" in told.lower() or "running" in told.lower(), told


@pytest.mark.docker
async def test_deploy_page__on_an_empty_validator_with_docker__lets_a_second_wallet_rent(
    engine: OwnEngine, xprocess: XProcess, tmp_path: Path
) -> None:
    with validator.running(xprocess, tmp_path / "ledger") as cluster:
        api_url = f"http://127.0.0.1:{free_ports()}"
        where = Where(cluster.http_url, api_url, docker_agent(engine), ("--image", IMAGE))
        async with market(where, tmp_path, sit_through) as (renter, told):
            assert "ssh" in told.lower(), told
            assert await renter.run(["gpu-market", "ssh", "@last", "--", "echo", "inside"], {}) == "inside\n"


@pytest.mark.parametrize("heading", ["Open the market", "Run it", "A host", "A renter"])
def test_deploy_page__each_section__has_commands(heading: str) -> None:
    assert len(commands_under(PAGE, heading)) >= 4
