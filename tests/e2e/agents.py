"""A host's agent in a process of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.sealing import SealKey
from host_agent.agent import HostAgent, MachineOf
from host_agent.orders import SealedOrderReader
from tests.processes.patience import PATIENCE


@asynccontextmanager
async def serving(market: Market, api_url: str, key: SealKey, machine_of: MachineOf) -> AsyncIterator[None]:
    """Serves the machines of the market's signer once each has had its first heartbeat, until the block ends."""
    async with SealedOrderApi(api_url) as orders:
        agent = HostAgent(market, market.session.ws_url, machine_of, SealedOrderReader(orders, key))
        ready = asyncio.Event()
        task = asyncio.create_task(agent.run(ready))
        try:
            async with asyncio.timeout(PATIENCE):
                await ready.wait()
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
