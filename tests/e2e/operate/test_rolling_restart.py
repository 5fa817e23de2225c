"""Every service is replaced, one after the other, while renters, hosts and readers go on: nothing is lost."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.api.feed import Feed
from anchor_client.market import JobState, Market, RentalWanted
from anchor_client.orders import SealedOrderApi, Workload
from anchor_client.orders.delivery import SealedOrder
from anchor_client.solana.wallet import Wallet
from benchmarks.load.balancer import PLAIN, balanced
from benchmarks.load.fleet import Fleet, empty_cluster, fleet
from benchmarks.load.process import GPU_MARKET
from tests.indexer import postgres
from tests.indexer.service import until, until_status
from tests.markets.cluster import Cluster
from tests.markets.marketplace import MIN_DURATION, REGION, SOL, Marketplace, one_host
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.exhaustive, pytest.mark.postgres, pytest.mark.xdist_group("postgres")]
SLOT_MS = 200
ROUNDS = 1
ONE_REQUEST = httpx.Limits(max_keepalive_connections=0)
"""A connection for each: one that is kept may end just as the next request goes out on it."""
RENTERS, READERS, WRITERS = 3, 4, 2
INDEXED_SECONDS = 180
PACE_SECONDS = 0.05
"""Between two requests of one reader or writer: without a rest they would take the processor from what is replaced."""
EXPIRING = 3
"""Rentals that nobody stops: the keeper ends them."""
PATHS = ("/api/gpus", "/api/jobs?limit=20", "/api/marketplace/listings", "/api/network", "/health")


class Load:
    """Load during the restarts: every request is written down, and every rental."""

    def __init__(self, market: Marketplace, url: str) -> None:
        self._market = market
        self.url = url
        self.over = asyncio.Event()
        self.answered: Counter[str] = Counter()
        self.lost: list[str] = []
        self.meanwhile = ""
        """The service that is being replaced."""
        self.orders: list[SealedOrder] = []
        self.stopped: set[str] = set()
        self.expiring: set[str] = set()
        self.told: dict[int, Counter[str]] = {}
        self.closed: dict[int, set[str]] = {}

    async def read(self) -> None:
        """Asks again and again, each time on a connection of its own; whatever is no answer is lost."""
        for number in count():
            if self.over.is_set():
                return
            path = PATHS[number % len(PATHS)]
            try:
                async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE, verify=PLAIN) as client:
                    answer = await client.get(path)
            except httpx.TransportError as error:
                self.lost.append(f"{self.meanwhile}: {path}: {error!r}")
                continue
            if answer.status_code >= 500 and path != "/health":
                self.lost.append(f"{self.meanwhile}: {path}: {answer.status_code} {answer.text}")
            self.answered[path] += 1
            await asyncio.sleep(PACE_SECONDS)

    async def write(self) -> None:
        """Hands sealed orders over; those that were taken must be there in the end."""
        async with SealedOrderApi(self.url) as api:
            while not self.over.is_set():
                digest = hashlib.sha256(str(len(self.orders)).encode()).digest()
                order = SealedOrder.signed(Wallet(Keypair()), digest, b"sealed")
                await api.deliver(order)
                self.orders.append(order)
                self.answered["PUT"] += 1
                await asyncio.sleep(PACE_SECONDS)

    async def rent(self, listing: Pubkey) -> None:
        """Rents a machine, waits until its host has started it, and stops it, again and again.

        Each once the index knows the one before: it keeps few orders of a wallet for rentals that it does not know.
        """
        async with (
            self._renter() as renter,
            httpx.AsyncClient(base_url=self.url, timeout=PATIENCE, verify=PLAIN, limits=ONE_REQUEST) as api,
        ):
            while not self.over.is_set():
                wanted = RentalWanted(duration=3_600, pay="GPUM", listing=listing)
                job = await renter.rental.open(wanted, Workload())
                await self._started(renter, job.id)
                await renter.rental.stop(job.id)
                self.stopped.add(str(job.id))
                await until_status(api, str(job.id), "completed", INDEXED_SECONDS)

    async def leave(self, listing: Pubkey) -> None:
        """Rents a machine for as short as can be, and does nothing more."""
        async with self._renter() as renter:
            wanted = RentalWanted(duration=MIN_DURATION, pay="GPUM", listing=listing)
            job = await renter.rental.open(wanted, Workload())
            await self._started(renter, job.id)
            self.expiring.add(str(job.id))

    @asynccontextmanager
    async def _renter(self) -> AsyncIterator[Market]:
        """A new renter, who hands orders over at any replica."""
        place, wallet = self._market, await self._market.renter()
        tokens = {"USDC": place.usdc.pubkey()}
        async with (
            SealedOrderApi(self.url) as api,
            Market.connect(
                place.cluster.rpc_url, wallet, ws_url=place.cluster.ws_url, tokens=tokens, deliver_order=api.deliver
            ) as renter,
        ):
            yield renter

    async def _started(self, renter: Market, job: Pubkey) -> None:
        """The host's agent has accepted and started a rental, whatever is being replaced."""
        async with aclosing(renter.jobs.watch(job)) as states:
            async for each in states:
                assert not each.status.is_final, f"{self.meanwhile}: {job}: {each}"
                if each.status is JobState.RUNNING:
                    return

    async def follow(self, number: int) -> None:
        """Writes down the events of rentals that the feed tells, through all its connections."""
        self.told[number], self.closed[number] = Counter(), set()
        async with aclosing(Feed(self.url).follow("job")) as messages:
            async for message in messages:
                if message is None or message.type != "event":
                    continue
                self.told[number][str(message.cursor)] += 1
                data = json.loads(bytes(message.data))
                if "reason" in data:
                    self.closed[number].add(data["rental"])


@asynccontextmanager
async def running(*works: Awaitable[None]) -> AsyncIterator[None]:
    """Runs works until the context is left; what one of them raises is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        yield
    finally:
        await asyncio.gather(*tasks)


@pytest.fixture
async def market(tmp_path: Path) -> AsyncIterator[tuple[Marketplace, Any]]:
    """A seeded market on a cluster of its own."""
    keys = one_host()
    async with empty_cluster(keys.authority, SLOT_MS) as server:
        made = Marketplace(Cluster(server.ready["rpc"], server.ready["ws"]), keys)
        await made.seed()
        yield made, server


async def command(running_fleet: Fleet, *arguments: str) -> Any:
    """Runs a command of the indexer; returns the JSON document that it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *GPU_MARKET, *arguments, "--json", env=dict(running_fleet.environment), stdout=-1
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out
    return json.loads(out)


async def test_services__replaced_under_load__lose_no_request_and_no_event(
    market: tuple[Marketplace, Any], xprocess: XProcess, tmp_path: Path
) -> None:
    place, cluster = market
    keeper = Keypair()
    await place.airdrop(keeper, lamports=10 * SOL)
    with postgres.server(xprocess, postgres.require()) as database:
        host = place.keys.hosts[REGION]
        running_fleet = fleet(cluster, database, keeper, tmp_path, place.oracle, host)
        async with running_fleet as services, balanced(services.apis) as url:
            load = Load(place, url)
            for listing in place.listings[-EXPIRING:]:
                await load.leave(listing)
            following = asyncio.gather(*(load.follow(number) for number in range(2)))
            works = [
                *(load.read() for _ in range(READERS)),
                *(load.write() for _ in range(WRITERS)),
                *(load.rent(listing) for listing in place.listings[:RENTERS]),
            ]
            async with running(*works):
                for load.meanwhile in ROUNDS * tuple(services.services):
                    assert await services.replace(load.meanwhile) == 0, load.meanwhile
                load.over.set()
            assert load.lost == []
            await _agrees(load, services, place)
            assert not following.done(), "the feed is followed to the end"
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


async def _agrees(load: Load, services: Fleet, place: Marketplace) -> None:
    """Both replicas have every rental and every order, and the index has every event."""
    assert len(load.stopped) > RENTERS and len(load.orders) > 20
    await place.cluster.warp(MIN_DURATION)

    async def ended(api: httpx.AsyncClient) -> bool:
        jobs = [(await api.get(f"/api/jobs/{job}")).json() for job in load.stopped | load.expiring]
        return {job.get("status") for job in jobs} == {"completed"}

    for url in services.apis:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as api:
            await until(partial(ended, api), 60)
        async with SealedOrderApi(url) as orders:
            for order in load.orders:
                assert await orders.find(order.renter, order.order_hash) == order.sealed
    assert (await command(services, "indexer", "verify"))["agrees"]
    assert await command(services, "indexer", "gaps") == []

    async def told() -> bool:
        return all(closed == load.stopped | load.expiring for closed in load.closed.values())

    await until(told, 30)
    assert set(load.told[0]) == set(load.told[1]), "every follower is told the same"
    assert all(set(each.values()) == {1} for each in load.told.values()), "and once"
