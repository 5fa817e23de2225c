"""A seeded local market: in the test's own process, or as `gpu-market up` runs it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from xprocess import ProcessStarter, XProcess

from anchor_client.solana.node import NodeClient
from local_market.keys import MarketKeyring
from local_market.program import add_market_program
from local_market.seed import seed_market
from localnet.server import LocalCluster
from tests.e2e import providers
from tests.e2e.console import Console
from tests.e2e.deploy.empty import Empty
from tests.e2e.seeded import SeededCluster, UpProcess
from tests.processes.embedded import running

START_SECONDS = 300

if providers.is_wanted():
    providers.give_habits()


@pytest.fixture
def empty(xprocess: XProcess, tmp_path: Path) -> Iterator[Empty]:
    """A cluster with nothing on it, and a market file for it."""
    with running(xprocess, *providers.options()) as (url, _):
        console = Console(tmp_path / "home")
        console.run("deploy", "init", str(tmp_path / "market.toml"), "--cluster", "localnet")
        yield Empty(url, console, tmp_path)


@pytest.fixture
async def empty_cluster() -> AsyncIterator[LocalCluster]:
    """An embedded cluster with nothing on it but the program, whose upgrade authority is the keyring's."""
    local = LocalCluster()
    add_market_program(local, MarketKeyring.from_seed("e2e").authority.pubkey())
    async with local:
        yield local


@pytest.fixture
async def seeded_cluster(empty_cluster: LocalCluster) -> AsyncIterator[SeededCluster]:
    """The cluster with the market."""
    keys = MarketKeyring.from_seed("e2e")
    async with NodeClient(empty_cluster.http_url) as client:
        yield SeededCluster(empty_cluster, client, keys, await seed_market(client, keys))


@pytest.fixture
def start_up(xprocess: XProcess) -> Iterator[Any]:
    """Starts `gpu-market up` on free ports; what is still running at the end is stopped."""
    started: list[str] = []

    def start(console: Console, data: Path, *arguments: str) -> UpProcess:
        process = start_process(
            xprocess, console, data, *arguments, name=f"up-{data.parent.parent.name}-{data.parent.name}-{len(started)}"
        )
        started.append(process.name)
        return process

    yield start
    for name in started:
        xprocess.getinfo(name).terminate()


@pytest.fixture(scope="package")
def up(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UpProcess]:
    """One `gpu-market up` for every test that only rents in it."""
    home = tmp_path_factory.mktemp("shared-up")
    process = start_process(xprocess, Console(home), home / "market", name=f"up-{home.parent.name}-{home.name}")
    yield process
    xprocess.getinfo(process.name).terminate()


def start_process(xprocess: XProcess, console: Console, data: Path, *arguments: str, name: str) -> UpProcess:
    """Runs the console script until its ready line."""

    command = [*providers.command(), "up", "--json", "--data", str(data), "--port", "0", "--rpc-port", "0", *arguments]

    class Starter(ProcessStarter):  # type: ignore[misc]
        pattern = '"ready": true'
        timeout = START_SECONDS
        max_read_lines = 500
        terminate_on_interrupt = True
        args = command
        env = console.environment

    pid, log = xprocess.ensure(name, Starter)
    lines = Path(str(log)).read_text().splitlines()
    ready = next(line for line in reversed(lines) if '"ready": true' in line)
    told = json.loads(ready)
    if providers.is_wanted():
        console = replace(console, replicas=told["rpc_url"])
    return UpProcess(name, console, pid, Path(str(log)), told)
