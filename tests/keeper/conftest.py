"""A seeded cluster of its own for each test, all of them going on from the same chain."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from anchor_client.rules.subsidy import SECONDS_PER_DAY
from anchor_client.solana.node import NodeClient
from keeper.settings import KeeperSettings
from local_market.addresses import LocalMints
from local_market.keys import MarketKeyring
from local_market.terms import LOCALNET_TERMS
from localnet.server import LocalCluster
from tests.markets.parties import SettingsOf, World


@dataclass(frozen=True, slots=True)
class Seeded:
    """A market without machines, as a cluster that has stopped left it."""

    chain: Path
    keys: MarketKeyring


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Seeded:
    """Seeded once: to go on from there takes a tenth of the time."""
    seeded = Seeded(tmp_path_factory.mktemp("seeded") / "chain", MarketKeyring.generate())
    asyncio.run(_seed(seeded))
    return seeded


async def _seed(seeded: Seeded) -> None:
    async with LocalCluster(data=seeded.chain) as local, NodeClient(local.http_url) as client:
        # What is counted by the day is counted in one, whatever the hour: tests move the clock by minutes and hours.
        local.cluster.warp(SECONDS_PER_DAY - local.cluster.clock.unix_timestamp % SECONDS_PER_DAY)
        await World.create(local, client, seeded.keys)


@pytest.fixture
async def world(seeded: Seeded, tmp_path: Path) -> AsyncIterator[World]:
    """A market without machines."""
    chain = tmp_path / "chain"
    shutil.copytree(seeded.chain, chain)
    async with LocalCluster(data=chain) as local, NodeClient(local.http_url) as client:
        yield World(local, client, seeded.keys, LocalMints.of(seeded.keys, LOCALNET_TERMS))


@pytest.fixture
def settings(world: World) -> SettingsOf:
    """Settings of a keeper with a funded wallet; arguments override."""

    def settings_of(**overrides: Any) -> KeeperSettings:
        defaults = {
            "rpc_url": world.local.http_url,
            "ws_url": world.local.ws_url,
            "clock_seconds": 0.1,
            "idle_clock_seconds": 0.1,
            "turn_seconds": 0,
        }
        keypair = overrides.pop("keypair", None) or world.wallet()
        return KeeperSettings(keypair=keypair, **(defaults | overrides))

    return settings_of
