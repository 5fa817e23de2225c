"""The services of a market, each in its own process, which can be replaced while the rest keeps running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
from solders.keypair import Keypair

from anchor_client.generated.program import PROGRAM_ID
from benchmarks.load.balancer import HEALTH_SECONDS
from benchmarks.load.host import SEAL_KEY
from benchmarks.load.process import GPU_MARKET, Server, alone, serving
from local_market.keys import HostKeys
from local_market.program import PROGRAM_PATH
from tests.processes.ports import free_ports

LOOPBACK: Final = "127.0.0.1"
DRAIN_SECONDS: Final = 2
WELL_SECONDS: Final = 60
PLENTY: Final = "1000000"
"""Of what is limited, for clients that all have one address."""
HOST: Final = "benchmarks.load.host"
REPLICAS: Final = ("api-1", "api-2")


class Service:
    """A process that is started, stopped and started again with the same arguments."""

    def __init__(self, name: str, *arguments: str, environment: Mapping[str, str]) -> None:
        self.name = name
        self._arguments = arguments
        self._environment = environment
        self._running = AsyncExitStack()
        self.server: Server | None = None
        self.starts = 0

    async def start(self) -> None:
        """Until it says that it is ready. ServerFailed."""
        serves = serving(*self._arguments, environment=self._environment)
        self.server = await self._running.enter_async_context(serves)
        self.starts += 1

    async def stop(self) -> int | None:
        """Has it stop by itself; gives its exit code."""
        await self._running.aclose()
        return None if self.server is None else self.server.process.returncode


@dataclass(frozen=True, slots=True)
class Fleet:
    """A market's processes: indexer, two replicas of its API on one database, keeper; perhaps an oracle and a host."""

    services: Mapping[str, Service]
    apis: tuple[str, str]
    """URLs of the replicas."""
    environment: Mapping[str, str]

    async def replace(self, name: str) -> int | None:
        """Stops a service and starts it again, until it is well; gives the exit code of the one before."""
        code = await self.services[name].stop()
        await self.services[name].start()
        if name in REPLICAS:
            await self._well(self.apis[REPLICAS.index(name)])
        return code

    async def _well(self, url: str) -> None:
        """Asked, as a load balancer does: nothing announces it."""
        async with httpx.AsyncClient(base_url=url, timeout=5) as client, asyncio.timeout(WELL_SECONDS):
            while not (await client.get("/health")).is_success:  # noqa: ASYNC110
                await asyncio.sleep(HEALTH_SECONDS)
            await asyncio.sleep(2 * HEALTH_SECONDS)


@asynccontextmanager
async def empty_cluster(authority: Keypair, slot_ms: int, data: Path | None = None) -> AsyncIterator[Server]:
    """A cluster with the program, whose upgrade authority is `authority`; kept in `data`, if given."""
    kept = () if data is None else ("--data", str(data))
    program = ("--program", str(PROGRAM_ID), str(PROGRAM_PATH), "--upgrade-authority", str(authority.pubkey()))
    port = str(free_ports(2))
    async with serving(
        "-m", "localnet", "--json", "--port", port, "--slot-ms", str(slot_ms), *kept, *program
    ) as server:
        yield server


@asynccontextmanager
async def fleet(
    cluster: Server,
    database_url: str,
    keeper: Keypair,
    home: Path,
    oracle: Keypair | None = None,
    host: HostKeys | None = None,
) -> AsyncIterator[Fleet]:
    """Runs the services of a seeded market until the context is left; an oracle and a host's agent as well, if given.

    The agent asks the first replica of the API for orders.
    """
    port = free_ports(4)
    environment = alone(home) | {
        "GPU_MARKET_RPC_URL": cluster.ready["rpc"],
        "GPU_MARKET_WS_URL": cluster.ready["ws"],
        "GPU_MARKET_DATABASE_URL": database_url,
        "GPU_MARKET_KEYPAIR": keeper.to_json(),
        "GPU_MARKET_DRAIN_SECONDS": str(DRAIN_SECONDS),
        "GPU_MARKET_REQUESTS_PER_CLIENT": PLENTY,
        "GPU_MARKET_MAX_CONNECTIONS_PER_CLIENT": PLENTY,
    }

    def service(name: str, *arguments: str, **own: str) -> Service:
        return Service(name, *GPU_MARKET, *arguments, "--json", environment=environment | own)

    services = {
        "indexer": service("indexer", "indexer", "run", "--port", str(port), "--workers", "1"),
        **{
            name: service(name, "api", "--port", str(port + number), "--workers", "1")
            for number, name in enumerate(REPLICAS, start=1)
        },
        "keeper": service("keeper", "keeper", "run", "--state-dir", str(home / "keeper")),
    }
    if oracle is not None:
        posts = ("post-price", "GPUM", "0.05", "--every", "1")
        services["oracle"] = service("oracle", *posts, GPU_MARKET_KEYPAIR=oracle.to_json())
    apis = (f"http://{LOOPBACK}:{port + 1}", f"http://{LOOPBACK}:{port + 2}")
    if host is not None:
        own = {"GPU_MARKET_API_URL": apis[0], "GPU_MARKET_KEYPAIR": host.wallet.to_json()}
        seal = {SEAL_KEY: bytes(host.seal.private).hex()}
        services["host"] = Service("host", "-m", HOST, environment=environment | own | seal)
    async with AsyncExitStack() as stack:
        for each in services.values():
            stack.push_async_callback(each.stop)
            await each.start()
        yield Fleet(services, apis, environment)
