"""A market that lives a day in some minutes, and what its services use of the machine."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import httpx
import psutil  # type: ignore[import-untyped]
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import text

from anchor_client.generated.types import MarketParameter
from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.solana.node import NodeClient
from benchmarks.load.balancer import balanced
from benchmarks.load.fleet import Fleet, empty_cluster, fleet
from benchmarks.load.postgres import postgres
from benchmarks.load.process import Server
from benchmarks.load.renters import WALLETS, Renters, fund, renting
from indexer.store.database import open_database
from local_market.keys import MarketKeyring
from local_market.life import MarketLife
from local_market.seed import seed_market
from local_market.terms import LOCALNET_TERMS, LocalTerms
from tests.markets.cluster import Cluster

HOUR: Final = 3_600
HEALTH_SECONDS: Final = 5.0
READ_SECONDS: Final = 0.5
READERS: Final = 2
PATHS: Final = ("/api/marketplace/listings", "/api/jobs?limit=50", "/api/network", "/api/gpus")
OWN: Final = "hosts, oracle, renters, readers"
"""Name of this process in the samples: the parts that run in it."""

Told = Callable[[str], None]
TERMS: Final[LocalTerms] = replace(
    LOCALNET_TERMS,
    parameters={
        **LOCALNET_TERMS.parameters,
        MarketParameter.EPOCH_SECONDS: HOUR,
        MarketParameter.ORDER_MIN_USD: 10_000,
        MarketParameter.PROVISION_TIMEOUT: 900,
    },
)


@dataclass(slots=True)
class Sample:
    """Resources that each service has used by an hour of the day."""

    hour: float
    processor_seconds: dict[str, float]
    resident_bytes: dict[str, int]
    disk_bytes: dict[str, int]


@dataclass(slots=True)
class Day:
    """A running market, and what is written down of it."""

    cluster: Cluster
    server: Server
    services: Fleet
    database_url: str
    home: Path
    url: str
    renters: Renters
    wallets: dict[str, list[Pubkey]]
    node: NodeClient
    samples: list[Sample] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    failed_reads: int = 0

    async def live(self, hours: float, step: int, pace: float, told: Told) -> None:
        """Lets the time pass: `step` seconds of the market at a time, and `pace` seconds of the clock for each."""
        await self._sample(0)
        for number in range(round(hours * HOUR / step)):
            begun = time.monotonic()
            await self.cluster.warp(step)
            now = (number + 1) * step
            await self.renters.act(now, step)
            if now % HOUR < step:
                await self._sample(now / HOUR)
                told(f"hour {now / HOUR:.0f}: {self.renters.opened} rentals")
            await asyncio.sleep(max(0.0, pace - (time.monotonic() - begun)))
        await self._sample(hours)

    async def read(self) -> None:
        """Asks the API again and again, as dashboards do."""
        async with httpx.AsyncClient(base_url=self.url, timeout=30) as api:
            while True:
                for path in PATHS:
                    begun = time.perf_counter()
                    answer = await api.get(path)
                    self.reads.append(time.perf_counter() - begun)
                    self.failed_reads += not answer.is_success
                    await asyncio.sleep(READ_SECONDS)

    async def balances(self) -> dict[str, int]:
        """Lamports of each kind of wallet, all together."""
        found = {}
        for kind, wallets in self.wallets.items():
            accounts = await self.node.get_multiple_accounts(wallets)
            found[kind] = sum(0 if account is None else account.lamports for account in accounts)
        return found

    async def _sample(self, hour: float) -> None:
        servers = {"cluster": self.server} | {
            name: one.server for name, one in self.services.services.items() if one.server
        }
        seconds = {name: server.processor_seconds for name, server in servers.items()}
        resident = {name: server.resident_bytes for name, server in servers.items()}
        own = psutil.Process()
        used = own.cpu_times()
        seconds[OWN] = float(used.user + used.system)
        resident[OWN] = own.memory_info().rss
        seconds["PostgreSQL"], resident["PostgreSQL"] = _database_processes()
        disk = {"chain": _size(self.home / "chain"), "keeper": _size(self.home / "keeper")}
        disk["PostgreSQL"] = await asyncio.to_thread(_database_size, self.database_url)
        self.samples.append(Sample(hour, seconds, resident, disk))


@asynccontextmanager
async def living(home: Path, *, slot_ms: int, rate: float) -> AsyncIterator[Day]:
    """Everything, running and seeded; `rate` rentals an hour come."""
    keys = MarketKeyring.generate()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(empty_cluster(keys.authority, slot_ms, home / "chain"))
        rpc = server.ready["rpc"]
        ws = server.ready["ws"]
        node = await stack.enter_async_context(NodeClient(rpc))
        seeded = await seed_market(node, keys, terms=TERMS)
        database = stack.enter_context(postgres())
        services = await stack.enter_async_context(fleet(server, database, keys.keeper, home))
        url = await stack.enter_async_context(balanced(services.apis, HEALTH_SECONDS))
        orders = await stack.enter_async_context(SealedOrderApi(url))
        market = await stack.enter_async_context(Market.connect(rpc, ws_url=ws))
        wallets = [Keypair() for _ in range(WALLETS)]
        await fund(market.signing_as(keys.authority), keys, seeded.tokens, wallets)
        markets = [
            await stack.enter_async_context(renting(rpc, ws, wallet, seeded.tokens, orders.deliver))
            for wallet in wallets
        ]
        life = MarketLife(market, ws, keys, seeded.tokens, orders=orders)
        ready = asyncio.Event()
        lives = asyncio.create_task(life.run(ready))
        stack.push_async_callback(_ended, lives)
        await ready.wait()
        day = Day(
            cluster=Cluster(rpc, ws),
            server=server,
            services=services,
            database_url=database,
            home=home,
            url=url,
            renters=Renters(markets, rate),
            wallets={
                "keeper": [keys.keeper.pubkey()],
                "oracle": [keys.oracle.pubkey()],
                "hosts": [host.wallet.pubkey() for host in keys.hosts.values()],
                "renters": [wallet.pubkey() for wallet in wallets],
            },
            node=node,
        )
        reading = [asyncio.create_task(day.read()) for _ in range(READERS)]
        for each in reading:
            stack.push_async_callback(_ended, each)
        yield day


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _database_processes() -> tuple[float, int]:
    """Processor seconds of PostgreSQL's processes, the ended ones of its connections aside, and their own memory."""
    seconds = 0.0
    resident = 0
    for process in psutil.process_iter(["name"]):
        if process.info["name"] == "postgres":
            try:
                times = process.cpu_times()
                memory = process.memory_full_info()
            except psutil.NoSuchProcess:
                continue
            seconds += float(times.user + times.system)
            resident += int(memory.uss)
    return seconds, resident


def _database_size(url: str) -> int:
    engine = open_database(url)
    try:
        with engine.connect() as connection:
            return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
    finally:
        engine.dispose()


def _size(folder: Path) -> int:
    return int(subprocess.run(["du", "-sb", folder], capture_output=True, text=True, check=True).stdout.split()[0])
