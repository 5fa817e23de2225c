"""A host's agent on a seeded market, with machines that fail when they are told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.errors import GpuMarketError, UnreachableApi
from anchor_client.market import Job, JobState, Market, RentalWanted
from anchor_client.orders import OrderDocument, SealedOrder, Workload
from anchor_client.service.supervision import Supervisor
from host_agent.agent import HostAgent
from host_agent.errors import MachineFault
from host_agent.listings.offering import Offering
from host_agent.listings.overlap import SharedMachine
from host_agent.machine import MeteredUsage
from host_agent.metrics import HostMetrics
from host_agent.orders import SealedOrderReader
from host_agent.pace import HostPace
from tests.e2e import providers
from tests.e2e.seeded import SeededCluster
from tests.indexer.service import until

GPU = "nvidia-h100-pcie-80gb"
REGION = "eu-west"
PACE = HostPace(heartbeat=0.2)
HOUR = 3_600
BEAT_SLOTS = 10
"""After a machine's first look around, in which it says that it is there."""


@dataclass
class Machine:
    """Keeps what it is told, and fails with what it is given."""

    tenant: Pubkey | None = None
    faults: Sequence[str] = ()
    left: Pubkey | None = None
    """Whom an earlier run of the agent has left on it."""
    calls: list[str] = field(default_factory=list)
    refuses: GpuMarketError | None = None
    unfit: GpuMarketError | None = None
    """Its finding about an order's image, before the order is accepted."""
    cannot_be_wiped: bool = False
    loses_tenants: bool = False
    ended_with: int | None = None
    kept_for: float | None = None
    looks: int = 0
    """Number of times that it was asked for its tenant, whom it then serves and limits."""
    given: float | None = None
    """Seconds that its last order's image and workspace had to arrive."""
    used: MeteredUsage | None = None
    saved: list[tuple[Pubkey, float]] = field(default_factory=list)
    """Rentals that were told to save their work, and in how many seconds."""
    boots: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.boots.set()

    async def recover(self) -> None:
        self.calls.append("recover")
        self.tenant = self.left

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        return Connection(host="machine.test", port=22, password=order.image)

    async def examine(self, order: OrderDocument) -> None:
        if self.unfit is not None:
            raise self.unfit

    async def exit_code(self, rental: Pubkey) -> int | None:
        return self.ended_with

    async def provision(
        self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False, within: float | None = None
    ) -> None:
        self.calls.append("provision")
        self.given = within
        self.tenant = rental
        await self.boots.wait()
        if self.refuses is not None:
            raise self.refuses

    async def holds(self, rental: Pubkey) -> bool:
        self.looks += 1
        return self.tenant == rental and not self.loses_tenants

    def keep_for(self, seconds: float) -> None:
        self.kept_for = seconds

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        self.saved.append((rental, seconds))

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        return self.used

    async def vacate(self) -> None:
        if self.cannot_be_wiped:
            raise MachineFault("It cannot be wiped")
        self.calls.append("vacate")
        self.tenant = None

    async def idle(self) -> None:
        if self.calls[-1] != "idle":
            self.calls.append("idle")


@dataclass
class Post:
    """Orders on their way; cannot be reached while `up` is false."""

    up: bool = True
    loses_orders: bool = False
    refused: int = 0
    delivered: dict[tuple[Pubkey, bytes], bytes] = field(default_factory=dict)

    async def deliver(self, order: SealedOrder) -> None:
        if not self.loses_orders:
            self.delivered[order.renter, order.order_hash] = order.sealed

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        if not self.up:
            self.refused += 1
            raise UnreachableApi("The API cannot be reached")
        return self.delivered.get((renter, order_hash))


@dataclass
class Stage:
    """A renter, and a host whose agent runs."""

    market: Market
    cluster: SeededCluster
    post: Post
    agent: HostAgent
    metrics: HostMetrics
    machines: dict[Pubkey, Machine]
    served_at: int | None = None
    """Slot at which all machines were first idle."""

    async def rent(self) -> tuple[Job, Machine]:
        await until(self._served)
        job = await self.market.rental.open(RentalWanted(gpu=GPU, region=REGION, duration=HOUR, pay="USDC"), Workload())
        return job, self.machines[job.listing]

    async def reached(self, job: Job, state: JobState) -> Job:
        async def there() -> bool:
            return (await self.market.jobs.get(job.id)).status is state

        await until(there)
        return await self.market.jobs.with_history(job.id)

    async def _served(self) -> bool:
        chain = self.cluster.local.cluster
        if self.served_at is None and self.machines and all("idle" in each.calls for each in self.machines.values()):
            self.served_at = chain.slot
        # A provider's second node is as far behind, and a client that has sent nothing may read from it.
        lags = providers.is_wanted() and chain.finalized_slot < (self.served_at or 0) + BEAT_SLOTS
        return self.served_at is not None and not lags


@asynccontextmanager
async def staged(
    cluster: SeededCluster,
    *,
    patience: float = 60,
    left: Pubkey | None = None,
    pace: HostPace = PACE,
    operator: Keypair | None = None,
    rpc_url: str | None = None,
    supervisor: Supervisor | None = None,
    shared: SharedMachine | None = None,
    state_dir: Path | None = None,
) -> AsyncIterator[Stage]:
    """With `state_dir`, the agent changes its listings."""
    local, keys, post = cluster.local, cluster.keys, Post()
    host = keys.hosts[REGION]
    signer, owner = operator or host.wallet, host.wallet.pubkey()
    async with Market.connect(
        rpc_url or local.http_url,
        keys.renter,
        ws_url=local.ws_url,
        tokens=cluster.seeded.tokens.by_symbol(),
        deliver_order=post.deliver,
    ) as market:
        desk = SealedOrderReader(post, host.seal, patience)
        machines: dict[Pubkey, Machine] = {}
        metrics = HostMetrics()
        agent = HostAgent(
            market.signing_as(signer),
            local.ws_url,
            lambda address, _: machines.setdefault(address, Machine(left=left)),
            desk,
            owner=owner,
            pace=pace,
            supervisor=supervisor,
            metrics=metrics,
            shared=shared,
            offering=None if state_dir is None else Offering(market.signing_as(signer), state_dir),
        )
        stage = Stage(market, cluster, post, agent, metrics, machines)
        running = asyncio.create_task(agent.run(asyncio.Event()))
        try:
            yield stage
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            assert running.cancelled()
