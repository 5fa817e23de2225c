"""Keeps a seeded market alive: its clock, its oracle and its hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from anchor_client.market import Market
from anchor_client.orders import SealedOrderSource
from host_agent.agent import HostAgent, MachineOf
from host_agent.pace import HostPace
from local_market.addresses import LocalMints
from local_market.clock import ClusterClock
from local_market.keys import MarketKeyring
from local_market.oracle import PriceOracle, posted_prices
from local_market.simulated_machine import SimulatedMachine
from local_market.simulated_orders import SimulatedOrderReader

LIVELY_PACE = HostPace(heartbeat=20.0, settle=60)


def _nothing_behind(region: str) -> MachineOf:
    return partial(SimulatedMachine, region)


class MarketLife:
    """The operators of a local market, each a task that talks to the cluster as it would from elsewhere. `machines`
    gives those of a region.
    """

    def __init__(
        self,
        market: Market,
        ws_url: str,
        keys: MarketKeyring,
        tokens: LocalMints,
        *,
        orders: SealedOrderSource | None = None,
        machines: Callable[[str], MachineOf] = _nothing_behind,
        pace: HostPace = LIVELY_PACE,
    ) -> None:
        self.clock = ClusterClock(market.reads.program, ws_url)
        self.oracle = PriceOracle(market, keys.oracle, self.clock, posted_prices(tokens))
        self.hosts = [
            HostAgent(
                market.signing_as(host.wallet),
                ws_url,
                machines(region),
                SimulatedOrderReader(orders, host.seal),
                pace=pace,
            )
            for region, host in keys.hosts.items()
        ]
        for agent in self.hosts:
            self.clock.wake_at_jumps(agent.overdue)

    async def run(self, ready: asyncio.Event) -> None:
        """Runs until cancelled; `ready` is set once prices are posted and every listing is online."""
        posted = asyncio.Event()
        beating = [asyncio.Event() for _ in self.hosts]
        async with asyncio.TaskGroup() as group:
            group.create_task(self.clock.run())
            group.create_task(self.oracle.run(posted))
            for host, event in zip(self.hosts, beating, strict=True):
                group.create_task(host.run(event))
            for event in (posted, *beating):
                await event.wait()
            ready.set()
