"""The market that tests act on, recorded from its first transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from anchor_client.solana.node import NodeClient
from benchmarks.load.recording import Recording
from local_market.keys import MarketKeyring
from localnet.server import LocalCluster
from tests.markets.parties import World


@asynccontextmanager
async def open_world(data: Path | None = None) -> AsyncIterator[tuple[World, Recording]]:
    """A seeded market and its record; with `data`, kept there when it is left."""
    local = LocalCluster(data=data)
    recording = Recording(local.cluster)
    async with local, NodeClient(local.http_url) as client:
        yield await World.create(local, client, MarketKeyring.generate()), recording
