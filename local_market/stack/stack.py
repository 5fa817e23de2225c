"""Starts the parts of a local market in order, and stops them in reverse."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from local_market.errors import PortTaken
from local_market.keys import MarketKeyring, key_path
from local_market.life import MarketLife
from local_market.machine.machines import AnsweringMachines
from local_market.names import host_names
from local_market.program import add_market_program
from local_market.running import RunningMarket
from local_market.seed import seed_market
from local_market.stack.layout import Layout
from local_market.stack.ports import LOOPBACK, require_free
from local_market.stack.services import await_index, run_indexer, run_keeper
from local_market.stack.slow import said_if_slow
from local_market.stack.supervisor import StackSupervisor
from localnet.server import LocalCluster
from localnet.timeline import SLOT_MS

KEEPER = "keeper"
OWN_NAMES = (LOOPBACK, "localhost")
"""Those by which a browser reaches the API."""
MEASURED = ("indexer", KEEPER)
"""Services that serve metrics."""

Progress = Callable[[str, str], None]
"""Called with what has come up and where it is."""
Say = Callable[[str], None]
"""Called with what a start waits for, and how long it did, if that is long."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports on loopback; 0 picks a free one. PubSub is on the port after the RPC's."""

    rpc: int = 8899
    api: int = 8000


class LocalMarket:
    """Everything that `gpu-market up` runs: `start` and `stop`, or an async context manager."""

    def __init__(
        self,
        layout: Layout,
        ports: Ports,
        progress: Progress = lambda what, where: None,
        *,
        slot_ms: int = SLOT_MS,
        keeper: bool = True,
        own_shell: bool = False,
        say: Say = lambda text: None,
    ) -> None:
        self._layout = layout
        self._slot_ms = slot_ms
        self._keeper = keeper
        self._own_shell = own_shell
        self._ports = ports
        self._progress = progress
        self._say = say
        self._stack = AsyncExitStack()
        self._supervisor = StackSupervisor()
        self._running: RunningMarket | None = None
        self.started_in = 0.0

    @property
    def running(self) -> RunningMarket:
        """Addresses of the services. RuntimeError before the market has started."""
        if self._running is None:
            raise RuntimeError("the local market has not been started")
        return self._running

    async def wait(self) -> None:
        """Waits until a part stops unexpectedly, and raises StartFailed for it."""
        await self._supervisor.wait()

    async def start(self) -> None:
        """Starts everything; returns once all of it is served. Raises PortTaken, AlreadyRunning or StartFailed."""
        begun = time.monotonic()
        self._running = await self._start()
        self.started_in = time.monotonic() - begun

    async def add(self, name: str, serve: Callable[[asyncio.Event, asyncio.Event], Coroutine[Any, Any, None]]) -> None:
        """Runs another part, `serve(ready, stop)`; it is the first to be stopped. StartFailed."""
        stop = asyncio.Event()
        with said_if_slow(f"Starting the {name}", self._say):
            await self._supervisor.start(name, lambda ready: serve(ready, stop), stop=stop)

    async def stop(self) -> None:
        """Stops whatever has been started."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _start(self) -> RunningMarket:
        api_port = require_free(self._ports.api, "API")
        self._stack.enter_context(self._layout.owned())
        self._layout.prepare()
        keys = MarketKeyring.load_or_create(self._layout.keys)
        local = await self._start_cluster(keys, api_port)
        market = await self._stack.enter_async_context(Market.connect(local.http_url, ws_url=local.ws_url))
        with said_if_slow("Seeding the market", self._say):
            seeded = await seed_market(market.session.client, keys)
        api_url = f"http://{LOOPBACK}:{api_port}"
        orders = await self._stack.enter_async_context(SealedOrderApi(api_url))
        machines = await self._stack.enter_async_context(
            AnsweringMachines(self._layout.machines, own_shell=self._own_shell)
        )
        await self._stack.enter_async_context(self._supervisor)
        life = MarketLife(market, local.ws_url, keys, seeded.tokens, orders=orders, machines=machines.of_region)
        with said_if_slow("Starting hosts and oracle", self._say):
            await self._supervisor.start("market", life.run)
        self._progress("Market", f"{seeded.listings} machines in {len(keys.hosts)} regions, hosts and oracle running")

        measured = [service for service in MEASURED if service != KEEPER or self._keeper]
        running = RunningMarket(
            pid=os.getpid(),
            rpc_url=local.http_url,
            ws_url=local.ws_url,
            api_url=api_url,
            data=str(self._layout.root),
            database_url=self._layout.database_url,
            wallet=str(key_path(self._layout.keys, "renter")),
            tokens={symbol: str(mint) for symbol, mint in seeded.tokens.by_symbol().items()},
            metrics={name: f"http://{LOOPBACK}:{require_free(0, 'metrics')}/metrics" for name in measured},
        )
        with said_if_slow("Starting the indexer", self._say):
            names = host_names(keys)
            await self._supervisor.start("indexer", lambda ready: run_indexer(running, names, ready))
        with said_if_slow("Indexing the chain", self._say):
            await await_index(running)
        self._progress("API", running.api_url)
        self._progress("Dashboard", f"{running.api_url}/")
        self._progress("API docs", f"{running.api_url}/docs")
        if self._keeper:
            await self._start_keeper(running)
        for service, url in running.metrics.items():
            self._progress("Metrics", f"{url} ({service})")
        return running

    async def _start_keeper(self, running: RunningMarket) -> None:
        stop = asyncio.Event()
        keeper = key_path(self._layout.keys, KEEPER)
        with said_if_slow("Starting the keeper", self._say):
            await self._supervisor.start(
                KEEPER, lambda ready: run_keeper(running, keeper, self._layout.keeper, ready, stop), stop=stop
            )
        self._progress("Keeper", "ends due rentals, every slot")

    async def _start_cluster(self, keys: MarketKeyring, api_port: int) -> LocalCluster:
        # A page of a rented machine, forwarded to a port of this computer, is a stranger's too.
        pages = [f"http://{name}:{api_port}" for name in OWN_NAMES]
        local = LocalCluster(port=self._ports.rpc, data=self._layout.chain, slot_ms=self._slot_ms, pages=pages)
        add_market_program(local, keys.authority.pubkey())
        try:
            with said_if_slow("Starting the cluster", self._say):
                await self._stack.enter_async_context(local)
        except OSError as error:
            local.cluster.close()
            port = self._ports.rpc
            raise PortTaken(f"Ports {port} and {port + 1} are needed for RPC and PubSub: {error.strerror}") from error
        self._progress("RPC", local.http_url)
        self._progress("PubSub", local.ws_url)
        return local
