"""Rentals looked up and followed, alive and ended."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import CloseReason
from anchor_client.market import Job, JobState, JobStatus, Market, RentalWanted
from anchor_client.market.history import RentalHistory
from tests.markets.marketplace import ANSWER_WINDOW, H100, OFFLINE_AFTER, PROVISION_TIMEOUT, Marketplace

ORDER_HASH = bytes(range(32))
HOUR = 3_600
NOWHERE = "ws://127.0.0.1:9"


async def open_job(market: Market, duration: int = HOUR) -> Job:
    return await market.rental.open(RentalWanted(gpu=H100, duration=duration, pay="GPUM", order_hash=ORDER_HASH))


async def collect(market: Market, job: Pubkey) -> list[JobStatus]:
    return [status async for status in market.jobs.watch(job)]


async def test_get__through_a_rentals_life__shows_its_state_and_then_its_end(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        opened = await open_job(market)
        assert (await market.jobs.get(opened.id)).status is JobState.QUEUED
        await host.rental.accept(opened.id, b"sealed")
        assert (await market.jobs.get(opened.id)).status is JobState.PROVISIONING
        await host.rental.start(opened.id)
        running = await market.jobs.get(opened.id)
        assert running.status is JobState.RUNNING and running.started_at is not None
        assert running.paid_until == running.started_at + HOUR
        assert [job.id for job in await market.jobs.list(market.address)] == [opened.id]
        stopped = await market.rental.stop(opened.id)
        found = await market.jobs.get(opened.id)
        assert (found.cost, found.burned, found.refunded, found.fees, found.host_paid, found.subsidy_returned) == (
            stopped.cost,
            stopped.burned,
            stopped.refunded,
            stopped.fees,
            stopped.host_paid,
            stopped.subsidy_returned,
        )
        assert (found.status, found.close_tx, found.open_tx) == (stopped.status, stopped.close_tx, opened.open_tx)
        assert found.used == stopped.used
        assert [status.status for status in found.history] == ["queued", "provisioning", "running", "completed"]
        assert [job.id for job in await market.jobs.list(market.address)] == []


async def test_get__address_without_a_rental__is_unknown(marketplace: Marketplace) -> None:
    async with marketplace.market() as market:
        with pytest.raises(errors.UnknownJob):
            await market.jobs.get(Pubkey.new_unique())


@pytest.mark.parametrize("subscribed", [True, False])
async def test_watch__from_opening_to_end__tells_each_state_once_in_order(
    marketplace: Marketplace, subscribed: bool
) -> None:
    wallet = await marketplace.renter()
    ws_url = marketplace.cluster.ws_url if subscribed else NOWHERE
    watcher = Market.connect(marketplace.cluster.rpc_url, wallet, ws_url=ws_url)
    async with watcher, marketplace.market(wallet) as market, marketplace.market(marketplace.host) as host:
        job = await open_job(market)
        states: list[JobState] = []
        async with aclosing(watcher.jobs.watch(job.id)) as statuses:
            async for status in statuses:
                states.append(status.status)
                assert status.ts >= job.created_at and status.message and status.tx is not None
                match status.status:
                    case JobState.QUEUED:
                        await host.rental.accept(job.id, b"sealed")
                    case JobState.PROVISIONING:
                        await host.rental.start(job.id)
                    case JobState.RUNNING if states.count(JobState.RUNNING) == 1:
                        await market.rental.extend(job.id, 3_600)
                    case JobState.RUNNING:
                        assert status.message == "Extended by 3600 s to 7200 s"
                        await market.rental.stop(job.id)
                    case _:
                        assert status.status.is_final
        running = [JobState.RUNNING, JobState.RUNNING]
        assert states == [JobState.QUEUED, JobState.PROVISIONING, *running, JobState.COMPLETED]


async def test_watch__ended_before__tells_the_whole_story(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        await marketplace.run(job.id)
        await market.rental.stop(job.id)
        told = await collect(market, job.id)
        assert [status.status for status in told] == ["queued", "provisioning", "running", "completed"]


async def test_watch__states_faster_than_the_watcher__are_all_told(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        watching = asyncio.create_task(collect(market, job.id))
        await marketplace.run(job.id)
        await market.rental.stop(job.id)
        assert [status.status for status in await watching] == ["queued", "provisioning", "running", "completed"]


async def test_watch__address_without_a_rental__is_unknown(marketplace: Marketplace) -> None:
    async with marketplace.market() as market:
        with pytest.raises(errors.UnknownJob):
            await collect(market, Pubkey.new_unique())


async def test_finalize__after_the_paid_time__ends_it_for_the_tip(marketplace: Marketplace) -> None:
    renter, keeper = await marketplace.renter(), await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(keeper) as crank:
        job = await open_job(market)
        await marketplace.run(job.id)
        with pytest.raises(refusals.RentalNotExpired):
            await crank.rental.finalize(job.id)
        await marketplace.warp(HOUR)
        ended = await crank.rental.finalize(job.id)
        assert (ended.status, ended.close_reason, ended.finalized_by) == (
            JobState.COMPLETED,
            CloseReason.EXPIRED,
            keeper.pubkey(),
        )
        assert ended.tip_lamports > 0
        assert ended.used == HOUR and ended.refunded == 0


async def test_cancel_unstarted__after_the_time_to_start__refunds_all(marketplace: Marketplace) -> None:
    async with (
        marketplace.market(await marketplace.renter()) as market,
        marketplace.market(await marketplace.renter()) as crank,
    ):
        job = await open_job(market)
        with pytest.raises(refusals.ProvisioningInTime):
            await crank.rental.cancel_unstarted(job.id)
        await marketplace.warp(PROVISION_TIMEOUT + 1)
        ended = await crank.rental.cancel_unstarted(job.id)
        assert (ended.status, ended.refunded, ended.cost) == (JobState.FAILED, job.deposit, 0)


async def test_report_offline__silent_host__compensates_the_renter(marketplace: Marketplace) -> None:
    async with (
        marketplace.market(await marketplace.renter()) as market,
        marketplace.market(await marketplace.renter()) as crank,
    ):
        job = await open_job(market, 3 * HOUR)
        await marketplace.run(job.id)
        with pytest.raises(refusals.HostOnline):
            await crank.rental.report_offline(job.id)
        await marketplace.warp(OFFLINE_AFTER + 60, heartbeat=False)
        with pytest.raises(refusals.HostOnline):
            await crank.rental.report_offline(job.id)
        await crank.host.mark_silent(job.listing)
        await marketplace.warp(ANSWER_WINDOW, heartbeat=False)
        ended = await crank.rental.report_offline(job.id)
        assert (ended.status, ended.close_reason) == (JobState.FAILED, CloseReason.HOST_OFFLINE)
        assert ended.refunded > job.deposit * 9 // 10
    async with marketplace.market(marketplace.host) as host:
        await host.host.heartbeat()


async def test_settle__a_running_rental__pays_what_is_earned_and_the_rest_at_the_end(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        await marketplace.run(job.id)
        await marketplace.warp(600)
        settled = (await market.rental.settle(job.id)).events
        assert [type(event).__name__ for event in settled] == ["RentalSettled"]
        ended = await market.rental.stop(job.id)
        told = await market.jobs.with_history(job.id)
        assert told.host_paid == ended.host_paid


async def test_cancel__by_the_host__names_the_reason(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        job = await open_job(market)
        ended = await host.rental.cancel(job.id, CloseReason.ORDER_REFUSED)
        assert (ended.status, ended.message) == (JobState.FAILED, "The host refused the order")
        assert (await market.jobs.get(job.id)).close_reason is CloseReason.ORDER_REFUSED


async def test_history__more_transactions_than_a_page__are_all_read(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anchor_client.market.history.PAGE", 2)
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        await marketplace.run(job.id)
        await market.rental.stop(job.id)
        history: RentalHistory = market.session.history
        signatures = await history.signatures(job.id)
        assert len(signatures) == len(set(signatures)) == 4
        assert signatures[0] == job.open_tx


async def test_history__newest_known_transaction_that_the_node_has_not__gives_the_others(
    marketplace: Marketplace,
) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        await marketplace.run(job.id)
        history: RentalHistory = market.session.history
        everything = await history.events(job.id)
        elsewhere = Keypair().sign_message(b"pruned, or not kept yet")
        assert await history.events(job.id, known=[elsewhere]) == everything
        later = await history.events(job.id, known=[everything[0].signature, elsewhere])
        assert later == [event for event in everything if event.signature != everything[0].signature] != []
