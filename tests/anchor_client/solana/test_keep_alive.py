"""Rentals kept alive within an allowance: the chain alone says what has been used of it. Invariant RNT-22."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import AllowanceSpent, GpuMarketError
from anchor_client.generated import errors as refusals
from anchor_client.market import Market
from anchor_client.market.history import RentalHistory
from anchor_client.market.job import RentalEvent
from anchor_client.market.rental.keep_alive import Allowance, Extended, KeepAlive
from anchor_client.rules.math import accrued_ceil
from tests.anchor_client.test_jobs import HOUR, open_job
from tests.markets.marketplace import Marketplace

LOTS = 10**15
NEARLY = HOUR - 60
"""After which less than BEFORE is left of an hour."""


async def kept(market: Market, job: Pubkey, allowance: Allowance) -> Extended | None:
    return await KeepAlive(market.session).extend_if_due(job, await market.reads.rental(job), allowance)


async def cost_of(market: Market, job: Pubkey, start: int, end: int) -> int:
    rate = (await market.reads.rental(job)).rate
    return accrued_ceil(rate, end) - accrued_ceil(rate, start)


async def running_job(marketplace: Marketplace, market: Market) -> Pubkey:
    job = (await open_job(market)).id
    await marketplace.run(job)
    return job


async def test_keep_alive__little_time_left__extends_as_often_as_allowed(marketplace: Marketplace) -> None:
    allowance = Allowance(seconds=HOUR, extensions=2, total=LOTS)
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        assert await kept(market, job, allowance) is None
        happenings: list[Extended | GpuMarketError] = []
        await marketplace.warp(NEARLY)
        async with aclosing(KeepAlive(market.session).run(job, allowance)) as told:
            async for happened in told:
                happenings.append(happened)
                if isinstance(happened, Extended):
                    await marketplace.warp(HOUR)
        first, second = [await cost_of(market, job, each * HOUR, (each + 1) * HOUR) for each in (1, 2)]
        assert happenings[:2] == [Extended(1, first, 2 * HOUR), Extended(2, first + second, 3 * HOUR)]
        assert [type(each) for each in happenings[2:]] == [AllowanceSpent]
        await market.rental.stop(job)


@pytest.mark.parametrize("short", [0, 1])
async def test_keep_alive__total__is_never_exceeded_by_a_base_unit(marketplace: Marketplace, short: int) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        total = await cost_of(market, job, HOUR, 2 * HOUR) - short
        await marketplace.warp(NEARLY)
        if short:
            with pytest.raises(AllowanceSpent):
                await kept(market, job, Allowance(HOUR, 9, total))
        else:
            assert await kept(market, job, Allowance(HOUR, 9, total)) == Extended(1, total, 2 * HOUR)
        await market.rental.stop(job)


async def test_keep_alive__extended_by_hand__counts(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        await market.rental.extend(job, 60)
        await marketplace.warp(NEARLY)
        with pytest.raises(AllowanceSpent):
            await kept(market, job, Allowance(HOUR, 1, LOTS))
        await market.rental.stop(job)


async def test_keep_alive__several_at_once__extend_once(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        await marketplace.warp(NEARLY)
        told = await asyncio.gather(*(kept(market, job, Allowance(HOUR, 1, LOTS)) for _ in range(3)))
        assert {each.times for each in told if each is not None} == {1}
        assert (await market.reads.rental(job)).duration == 2 * HOUR
        await market.rental.stop(job)


async def test_keep_alive__killed_after_sending__what_lands_late_buys_nothing_more(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        await marketplace.warp(NEARLY)
        sent_before_the_kill = await market.rental.plan.extend(market.address, job, HOUR + 1)
        assert await kept(market, job, Allowance(HOUR, 1, LOTS)) is not None
        with pytest.raises(refusals.AlreadyExtended):
            await market.session.send(sent_before_the_kill.instructions)
        await market.rental.stop(job)


async def test_keep_alive__node_that_lags__spends_nothing(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await running_job(marketplace, market)
        stale = await market.session.history.events(job)
        await market.rental.extend(job, 60)
        await marketplace.warp(NEARLY)

        async def lagging(*_: object, **__: object) -> list[RentalEvent]:
            return stale

        monkeypatch.setattr(RentalHistory, "events", lagging)
        assert await kept(market, job, Allowance(HOUR, 1, LOTS)) is None
        monkeypatch.undo()
        assert (await market.reads.rental(job)).duration == HOUR + 60
        await market.rental.stop(job)
