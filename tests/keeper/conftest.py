"""A seeded cluster of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed

from keeper.settings import KeeperSettings
from localnet.server import LocalCluster
from tests.keeper.world import SettingsOf, World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A market without machines."""
    async with LocalCluster() as local:
        client = AsyncClient(local.http_url, commitment=Confirmed)
        yield await World.create(local, client)
        await client.close()


@pytest.fixture
def settings(world: World, monkeypatch: pytest.MonkeyPatch) -> SettingsOf:
    """Settings of a keeper with a funded wallet; arguments override."""
    monkeypatch.delenv("GPU_MARKET_RPC_URL", raising=False)

    def settings_of(**overrides: Any) -> KeeperSettings:
        defaults = {"rpc_url": world.local.http_url, "ws_url": world.local.ws_url, "clock_seconds": 0.1}
        keypair = overrides.pop("keypair", None) or world.wallet()
        return KeeperSettings(keypair=keypair, **(defaults | overrides))

    return settings_of
