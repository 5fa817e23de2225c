"""Calls to a node while nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from solders.keypair import Keypair

from anchor_client.service.pacing import background
from host_agent import agent as host_agent
from host_agent.pace import DEFAULT_PACE, HostPace
from indexer.main import serve
from indexer.settings import IndexerSettings
from keeper.loop import run_service
from keeper.settings import KeeperSettings
from tests.anchor_client.solana.proxy import Proxy
from tests.e2e.staging import SeededCluster, staged
from tests.processes.ports import free_ports

DAY: Final = 86_400
MOST_CALLS_A_DAY: Final = 15_000
FASTER: Final = 30
"""All intervals are this much shorter here."""
SECONDS: Final = 12.0


@pytest.mark.exhaustive
async def test_services__idle_for_a_day__make_at_most_15_000_calls(
    seeded_cluster: SeededCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local, keeper = seeded_cluster.local, Keypair()
    local.cluster.airdrop(keeper.pubkey(), 10**9)
    monkeypatch.setattr(host_agent, "IDLE_LOOK_SECONDS", host_agent.IDLE_LOOK_SECONDS / FASTER)
    async with Proxy(local.http_url) as proxy:
        node = {"rpc_url": proxy.url, "ws_url": local.ws_url}
        index = IndexerSettings(database_url=f"sqlite:///{tmp_path / 'index.db'}", port=free_ports(), **node)
        index = replace(index, idle_interval=index.idle_interval / FASTER)
        keeping = KeeperSettings(keypair=keeper, **node)
        keeping = replace(keeping, idle_interval_seconds=keeping.idle_interval_seconds / FASTER)
        listening, kept, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()
        services = (serve(index, ready=listening.set), run_service(keeping, ready=kept, stop=stop))
        async with (
            background(*services),
            staged(seeded_cluster, pace=HostPace(heartbeat=DAY), rpc_url=proxy.url) as stage,
            asyncio.timeout(120),
        ):
            await listening.wait()
            await kept.wait()
            await proxy.called("getSignaturesForAddress", 4)
            await asyncio.sleep(4)
            looks, seconds = await _called(proxy, SECONDS)
            stage.agent.overdue.set()
            beat, beating = await _called(proxy, SECONDS / 2)
            offline_after = (await stage.market.reads.market()).offline_after
    beats = DAY / DEFAULT_PACE.interval(offline_after)
    a_second = looks.total() / seconds
    a_beat = beat.total() - a_second * beating
    a_day = a_second * DAY / FASTER + a_beat * beats
    print(f"{a_day:,.0f} calls a day: {dict(looks)} in {seconds * FASTER:.0f} s, {a_beat:.0f} for each heartbeat")
    assert looks["getSignaturesForAddress"] and looks["getProgramAccounts"] and beat["sendTransaction"] == 1
    assert a_day <= MOST_CALLS_A_DAY


async def _called(proxy: Proxy, pause: float) -> tuple[Counter[str], float]:
    """Calls during a pause, and the seconds that it lasted."""
    before, began = Counter(proxy.calls), time.monotonic()
    await asyncio.sleep(pause)
    return Counter(proxy.calls) - before, time.monotonic() - began
