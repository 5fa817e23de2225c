"""Following a cluster's clock."""

from __future__ import annotations

import asyncio

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from local_market.clock import ClusterClock
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.pubsub_node import PubsubNode


async def test_run__subscription_refused__subscribes_again() -> None:
    client = NodeClient(f"http://127.0.0.1:{free_ports()}")
    async with PubsubNode.running(refusals=2) as node:
        running = asyncio.create_task(ClusterClock(Reader(client, PROGRAM_ID), node.ws_url).run())
        taken = asyncio.create_task(node.taken.wait())
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait({running, taken}, return_when=asyncio.FIRST_COMPLETED)
        assert not running.done() and node.taken.is_set()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    await client.close()
