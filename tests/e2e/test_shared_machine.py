"""Listings that share GPUs, and maintenance with a date, on a seeded market."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import CloseReason
from anchor_client.market import JobState, Market, RentalWanted
from anchor_client.orders import Workload
from host_agent.listings.maintenance import LOOK_MARGIN, Maintenance
from host_agent.listings.overlap import SharedMachine
from host_agent.settings.machine import Share
from tests.e2e.seeded import SeededCluster
from tests.e2e.staging import HOUR, REGION, staged
from tests.indexer.service import until

DAY = 24 * HOUR


async def two_listings(cluster: SeededCluster) -> list[Pubkey]:
    """Two listings of the staged host."""
    local = cluster.local
    async with Market.connect(local.http_url, cluster.keys.renter, ws_url=local.ws_url) as market:
        found = await market.reads.listings_of(find_host(cluster.keys.hosts[REGION].wallet.pubkey())[0])
        return sorted((each for each in found if found[each].visible), key=lambda each: found[each].id)[:2]


def wanted(listing: Pubkey, seconds: int = HOUR) -> RentalWanted:
    return RentalWanted(listing=listing, duration=seconds, pay="USDC")


def shown(market: Market, listing: Pubkey, *, visible: bool) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        return bool((await market.reads.listing(listing)).visible) is visible

    return is_so


async def test_shared_gpus__one_listing_is_rented__the_other_is_hidden_until_the_tenant_is_wiped(
    seeded_cluster: SeededCluster, tmp_path: Path
) -> None:
    whole, part = await two_listings(seeded_cluster)
    shared = SharedMachine([Share(whole, ("0", "1")), Share(part, ("1",))])
    async with staged(seeded_cluster, shared=shared, state_dir=tmp_path) as stage:
        await until(stage._served)
        job = await stage.market.rental.open(wanted(whole), Workload())
        await stage.reached(job, JobState.RUNNING)
        await until(shown(stage.market, part, visible=False))
        machine = stage.machines[whole]
        machine.cannot_be_wiped = True
        await stage.market.rental.stop(job.id)
        await asyncio.sleep(1)
        assert not (await stage.market.reads.listing(part)).visible, "its GPU still holds the tenant's data"
        machine.cannot_be_wiped = False
        await until(shown(stage.market, part, visible=True))
        assert machine.tenant is None
        assert (await stage.market.reads.listing(whole)).visible


async def test_shared_gpus__orders_of_both_at_once__the_later_is_refused_with_a_full_refund(
    seeded_cluster: SeededCluster,
) -> None:
    whole, part = await two_listings(seeded_cluster)
    shared = SharedMachine([Share(whole, ("0", "1")), Share(part, ("1",))])
    async with staged(seeded_cluster, shared=shared) as stage:
        await until(stage._served)
        stage.post.up = False  # neither is accepted before both are there
        first = await stage.market.rental.open(wanted(part), Workload())
        seeded_cluster.local.cluster.warp(1)
        second = await stage.market.rental.open(wanted(whole), Workload())
        stage.post.up = True
        ended = await stage.reached(second, JobState.FAILED)
        assert (ended.close_reason, ended.refunded) == (CloseReason.ORDER_REFUSED, ended.deposit)
        await stage.reached(first, JobState.RUNNING)
        assert "provision" not in stage.machines[whole].calls
        await stage.market.rental.stop(first.id)


async def test_maintenance__date_comes__no_order_runs_past_it_and_the_machine_is_back_by_itself(
    seeded_cluster: SeededCluster, tmp_path: Path
) -> None:
    listing, other = await two_listings(seeded_cluster)
    cluster = seeded_cluster.local.cluster
    async with staged(seeded_cluster, state_dir=tmp_path) as stage:
        await until(stage._served)
        market = stage.market
        before = await market.reads.listing(listing)
        terms = await market.reads.market()
        now = await market.reads.now()
        plan = Maintenance([listing], now + 2 * DAY, now + 2 * DAY + HOUR)
        plan.write(tmp_path)
        stage.agent._called.set()

        async def shortened() -> bool:
            return (await market.reads.listing(listing)).mrl_seconds < 2 * DAY

        await until(shortened)
        longest = (await market.reads.listing(listing)).mrl_seconds
        latest = await market.reads.now() + terms.offline_after + LOOK_MARGIN + terms.spot_grace
        assert longest > DAY and latest + terms.provision_timeout + longest <= plan.at
        with pytest.raises(GpuMarketError):
            await market.rental.open(wanted(listing, 2 * DAY), Workload())
        assert (await market.reads.listing(other)).mrl_seconds == before.mrl_seconds
        cluster.warp(2 * DAY - 300)
        stage.agent.overdue.set()
        await until(shown(market, listing, visible=False))
        cluster.warp(2 * HOUR)
        stage.agent.overdue.set()
        await until(shown(market, listing, visible=True))

        async def as_before() -> bool:
            # One node behind an address may know that it is shown before another does.
            after = await market.reads.listing(listing)
            return (after.mrl_seconds, after.spec_version) == (before.mrl_seconds, before.spec_version)

        await until(as_before)

        async def forgotten() -> bool:
            return Maintenance.read(tmp_path) is None

        await until(forgotten)
