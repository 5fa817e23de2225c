"""Orders that replace a lost machine, and losses that are not replaced."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.amounts import usd
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import CloseReason, RentalKind
from anchor_client.market import Job, JobState, JobStatus, Market, RentalWanted
from anchor_client.market.rental import respawn
from anchor_client.market.rental.respawn import Respawn
from anchor_client.orders import Workload
from tests.markets.marketplace import MIN_DURATION, Marketplace, spec
from tests.processes.patience import PATIENCE

GPU = "nvidia-h100-sxm5-80gb"
HOUR = 3_600
WANTED = RentalWanted(gpu=GPU, duration=2 * HOUR, pay="GPUM")
CHEAP, DEAR = 2_000_000, 3_000_000


@pytest.fixture
async def machines(marketplace: Marketplace) -> AsyncIterator[tuple[Pubkey, Pubkey]]:
    """A cheap machine and a dear one of a model that nobody else has; closed in the end."""
    async with marketplace.market(marketplace.host) as host:
        cheap, dear = await host.host.create_listings([spec(GPU, usd=CHEAP), spec(GPU, usd=DEAR)])
        await host.host.heartbeat([cheap, dear])
        yield cheap, dear
        for listing in (cheap, dear):
            await host.host.close_listing(listing)


async def test_respawn__host_gives_up__the_rest_of_the_time_runs_elsewhere(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]
) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        found: list[Job] = []
        async with aclosing(Respawn(market.session).run(WANTED, Workload(), attempts=3)) as happenings:
            async for happened in happenings:
                if isinstance(happened, Job):
                    found.append(happened)
                    if happened.status is JobState.QUEUED and len(found) == 1:
                        await marketplace.run(happened.id)
                        await marketplace.warp(HOUR // 2)
                        await host.rental.cancel(happened.id, CloseReason.HOST_FAULT)
                    elif happened.status is JobState.QUEUED:
                        await marketplace.run(happened.id)
                        await market.rental.stop(happened.id)
        first, lost, second, stopped = found
        assert (first.listing, lost.close_reason) == (machines[0], CloseReason.HOST_FAULT)
        assert (second.listing, second.duration) == (machines[1], 2 * HOUR - (lost.used or 0))
        assert stopped.close_reason is CloseReason.STOPPED


async def test_respawn__rest_is_less_than_the_market_takes__least_is_ordered_and_stopped_after_the_rest(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(respawn, "LOOK_SECONDS", 0.05)
    rest, enough = 200, 300
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        listings = await host.host.create_listings([spec(GPU, usd=usd) for usd in (100_000, 120_000)])
        await host.host.heartbeat(listings)
        found: list[Job] = []
        run = Respawn(market.session).run(WANTED, Workload(), attempts=2)
        async with asyncio.timeout(PATIENCE), aclosing(run) as happenings:
            async for happened in happenings:
                if not isinstance(happened, Job):
                    continue
                found.append(happened)
                if happened.status is JobState.QUEUED:
                    await marketplace.run(happened.id)
                    await marketplace.warp(2 * HOUR - rest if len(found) == 1 else rest)
                if len(found) == 1:
                    await host.rental.cancel(happened.id, CloseReason.HOST_FAULT)
        for listing in listings:
            await host.host.close_listing(listing)
    _, lost, second, stopped = found
    left = 2 * HOUR - (lost.used or 0)
    assert 0 < left <= rest and second.duration == enough
    assert stopped.close_reason is CloseReason.STOPPED and left <= (stopped.used or 0) < enough


async def test_open__least_that_the_market_takes__is_ordered_only_if_wanted(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]
) -> None:
    wanted = RentalWanted(gpu=GPU, duration=MIN_DURATION - 1, pay="GPUM")
    async with marketplace.market(await marketplace.renter()) as market:
        with pytest.raises(refusals.DurationTooShort):
            await market.rental.open(wanted, Workload())
        job = await market.rental.open(replace(wanted, or_least=True), Workload())
        assert job.duration == MIN_DURATION
        await market.rental.stop(job.id)


async def test_respawn__reserved_machine_is_lost__the_rest_is_on_demand(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]
) -> None:
    week = RentalWanted(gpu=GPU, duration=7 * 24 * HOUR, pay="USDC", kind="reserved")
    found: list[Job] = []
    async with (
        marketplace.market(await marketplace.renter()) as market,
        marketplace.market(marketplace.host) as host,
        aclosing(Respawn(market.session).run(week, Workload(), attempts=2)) as happenings,
    ):
        async for happened in happenings:
            if not isinstance(happened, Job) or happened.status.is_final:
                continue
            found.append(happened)
            await marketplace.run(happened.id)
            await marketplace.warp(HOUR)
            if len(found) == 1:
                await host.rental.cancel(happened.id, CloseReason.HOST_FAULT)
            else:
                await market.rental.stop(happened.id)
    assert [job.kind for job in found] == [RentalKind.RESERVED, RentalKind.ON_DEMAND]
    assert found[1].duration <= week.duration - HOUR


async def test_respawn__last_attempt_lost__ends(marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        found: list[Job | JobStatus | errors.GpuMarketError] = []
        async for happened in Respawn(market.session).run(WANTED, Workload(), attempts=1):
            found.append(happened)
            if len(found) == 1 and isinstance(happened, Job):
                await host.rental.cancel(happened.id, CloseReason.HOST_MAINTENANCE)
        assert isinstance(found[-1], Job) and found[-1].close_reason is CloseReason.HOST_MAINTENANCE


async def test_respawn__order_refused__is_not_ordered_again(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]
) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        found: list[Job] = []
        async for happened in Respawn(market.session).run(WANTED, Workload(), attempts=3):
            if isinstance(happened, Job):
                found.append(happened)
            if len(found) == 1 and isinstance(happened, Job):
                await host.rental.cancel(happened.id, CloseReason.ORDER_REFUSED)
        assert [job.close_reason for job in found] == [None, CloseReason.ORDER_REFUSED]


async def test_respawn__others_too_dear__says_so_and_waits(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey]
) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        terms = await market.pricing()
        cheap = (await market.reads.offer(machines[0])).listed(terms).rates[0].micro_usd_per_hour
        wanted = RentalWanted(gpu=GPU, duration=2 * HOUR, pay="GPUM", max_usd=cheap)

        async def why() -> errors.GpuMarketError:
            async with aclosing(Respawn(market.session).run(wanted, Workload(), attempts=2)) as happenings:
                async for happened in happenings:
                    if isinstance(happened, Job) and not happened.status.is_final:
                        await host.rental.cancel(happened.id, CloseReason.HOST_FAULT)
                    elif isinstance(happened, errors.GpuMarketError):
                        return happened
            raise AssertionError("it went on")

        async with asyncio.timeout(PATIENCE):
            told = await why()
        assert isinstance(told, errors.NothingAvailable) and f"{usd(cheap)} an hour or less" in told.message
        assert str(machines[1]) in told.remedy


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"gpu": "nvidia-h100-pcie-80gb"}, GPU),
        ({"region": "us-east"}, "eu-west"),
        ({"count": 2}, "has 1 GPUs, not 2"),
        ({"min_vram_gb": 1_000}, "less than 1000"),
        ({"min_score_bps": 10_000}, "reputation of 100 %"),
        ({"among": frozenset()}, "other needs"),
        ({"max_usd": 1}, "maximum is"),
    ],
)
async def test_open__listing_and_the_rest_disagree__is_refused(
    marketplace: Marketplace, machines: tuple[Pubkey, Pubkey], wrong: dict[str, object], told: str
) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        wanted = RentalWanted(**{"duration": HOUR, "pay": "GPUM", "listing": machines[0], **wrong})  # type: ignore[arg-type]
        with pytest.raises(errors.GpuMarketError, match=told) as raised:
            await market.rental.open(wanted, Workload())
        assert "max_usd" in wrong or isinstance(raised.value, errors.ListingDisagrees)
        assert await _jobs(market) == []


async def _jobs(market: Market) -> list[Job]:
    return list(await market.jobs.list(market.address))
