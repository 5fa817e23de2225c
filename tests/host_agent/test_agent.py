"""A host's agent and the node it subscribes at."""

from __future__ import annotations

import asyncio

from solders.keypair import Keypair

from anchor_client.market import Market
from anchor_client.sealing import SealKey
from host_agent.agent import HostAgent
from host_agent.orders import SealedOrderReader
from tests.anchor_client.sealed_orders import SealedOrderMemory
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.pubsub_node import PubsubNode


async def test_run__subscription_refused__subscribes_again() -> None:
    async with (
        PubsubNode.running(refusals=2) as node,
        Market.connect(f"http://127.0.0.1:{free_ports()}", Keypair(), ws_url=node.ws_url) as market,
    ):
        agent = HostAgent(
            market, node.ws_url, lambda *_: None, SealedOrderReader(SealedOrderMemory(), SealKey.generate())
        )
        running = asyncio.create_task(agent.run(asyncio.Event()))
        taken = asyncio.create_task(node.taken.wait())
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait({running, taken}, return_when=asyncio.FIRST_COMPLETED)
        assert not running.done() and node.taken.is_set()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
