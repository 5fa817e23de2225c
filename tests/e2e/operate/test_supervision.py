"""Each service under a service manager: it says when it serves, beats while its loop runs, and says when it ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.service.lock_file import locked
from anchor_client.service.supervision import Supervisor
from tests.anchor_client.solana.proxy import Proxy
from tests.e2e.console import SCRIPT, Console
from tests.e2e.seeded import SeededCluster
from tests.e2e.staging import staged
from tests.processes.ports import free_ports
from tests.processes.service_manager import (
    BEAT,
    READY,
    START_SECONDS,
    STOPPING,
    ServiceManager,
    process,
    service_manager,
)
from tests.sweeps import exhaustive

WATCHDOG_SECONDS = 1.0
SILENT_SECONDS = 1.5
"""Longer than a thread would keep quiet that tells by the clock that all is well."""
OFTEN = "0.1"
INDEXER = ("indexer", "run", "--workers", "0")
KEEPER = ("keeper", "run")
ORACLE = ("post-price", "GPUM", "0.05", "--every", "1")
HANGS = {INDEXER: "getSignaturesForAddress", KEEPER: "getProgramAccounts", ORACLE: "sendTransaction"}


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[ServiceManager]:
    with service_manager(tmp_path) as listening:
        yield listening


@pytest.fixture
async def node(seeded_cluster: SeededCluster) -> AsyncIterator[Proxy]:
    """The way to the cluster."""
    async with Proxy(seeded_cluster.local.http_url) as proxy:
        yield proxy


def environment(cluster: SeededCluster, node: Proxy, manager: ServiceManager, home: Path) -> dict[str, str]:
    """A service's, which looks often; the key is the oracle's, which has SOL."""
    return {
        **Console(home).environment,
        **manager.environment(WATCHDOG_SECONDS),
        "GPU_MARKET_RPC_URL": node.url,
        "GPU_MARKET_WS_URL": cluster.local.ws_url,
        "GPU_MARKET_KEYPAIR": cluster.keys.oracle.to_json(),
        "GPU_MARKET_DATABASE_URL": f"sqlite:///{home}/index.db",
        "GPU_MARKET_PORT": str(free_ports()),
        "GPU_MARKET_POLL_INTERVAL": OFTEN,
        "GPU_MARKET_IDLE_INTERVAL": OFTEN,
        "GPU_MARKET_MAX_INTERVAL_SECONDS": OFTEN,
        "GPU_MARKET_IDLE_INTERVAL_SECONDS": OFTEN,
        "GPU_MARKET_TURN_SECONDS": "0",
    }


async def silent_while_hanging(node: Proxy, manager: ServiceManager, method: str, loops: int = 1) -> None:
    """The node takes the next call of each loop and does not answer: nothing is told until it does."""
    with node.holding(method):
        await node.called(method, node.calls[method] + loops)
        manager.told()
        with pytest.raises(TimeoutError):
            await manager.heard(BEAT, SILENT_SECONDS)
    await manager.heard(BEAT)


@pytest.mark.parametrize("command", [KEEPER, *map(exhaustive, [(INDEXER,), (ORACLE,)])], ids=lambda command: command[0])
async def test_service__node_accepts_and_never_answers__falls_silent_until_it_does(
    seeded_cluster: SeededCluster, node: Proxy, manager: ServiceManager, tmp_path: Path, command: tuple[str, ...]
) -> None:
    variables = environment(seeded_cluster, node, manager, tmp_path)
    async with process(str(SCRIPT), *command, environment=variables) as service:
        async with asyncio.timeout(START_SECONDS):
            assert await manager.next() == READY, "nothing is told before"
        await manager.heard(BEAT)
        await silent_while_hanging(node, manager, HANGS[command])
        service.send_signal(signal.SIGTERM)
        await manager.heard(STOPPING)
        async with asyncio.timeout(START_SECONDS):
            assert await service.wait() == 0


async def test_keeper__stands_by__beats_with_each_look_at_the_lock(
    seeded_cluster: SeededCluster, node: Proxy, manager: ServiceManager, tmp_path: Path
) -> None:
    lock = tmp_path / "leader.lock"
    variables = environment(seeded_cluster, node, manager, tmp_path) | {"GPU_MARKET_LEADER_LEASE_SECONDS": "0.3"}
    with locked(lock, BlockingIOError()):
        command = (str(SCRIPT), *KEEPER, "--leader-lock", str(lock))
        async with process(*command, environment=variables):
            await manager.heard(READY)
            for _ in range(3):
                await manager.heard(BEAT)


@pytest.mark.exhaustive
async def test_service__node_is_down__goes_on_beating(
    seeded_cluster: SeededCluster, node: Proxy, manager: ServiceManager, tmp_path: Path
) -> None:
    """An outage is no reason to restart: the API keeps answering."""
    variables = environment(seeded_cluster, node, manager, tmp_path)
    async with process(str(SCRIPT), *INDEXER, environment=variables):
        await manager.heard(READY)
        node.statuses["getSignaturesForAddress"] = 400
        await node.called("getSignaturesForAddress", node.calls["getSignaturesForAddress"] + 2)
        manager.told()
        for _ in range(3):
            await manager.heard(BEAT)


async def test_host_agent__node_accepts_and_never_answers__falls_silent_until_it_does(
    seeded_cluster: SeededCluster, node: Proxy, manager: ServiceManager
) -> None:
    supervisor = Supervisor.from_environment(manager.environment(WATCHDOG_SECONDS))
    async with staged(seeded_cluster, rpc_url=node.url, supervisor=supervisor):
        supervisor.ready()
        await manager.heard(BEAT)
        await silent_while_hanging(node, manager, "getProgramAccounts", loops=2)


async def test_service__cannot_start__is_never_ready(tmp_path: Path, manager: ServiceManager) -> None:
    variables = Console(tmp_path).environment | manager.environment(WATCHDOG_SECONDS)
    variables |= {"GPU_MARKET_RPC_URL": f"http://127.0.0.1:{free_ports()}", "GPU_MARKET_KEYPAIR": Keypair().to_json()}
    async with process(str(SCRIPT), *ORACLE, environment=variables) as service:
        async with asyncio.timeout(START_SECONDS):
            assert await service.wait() != 0
    assert manager.told() == []
