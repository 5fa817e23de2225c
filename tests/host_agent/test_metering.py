"""An agent's reports of a tenant's traffic and storage, and their times."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import UnreachableRpc
from anchor_client.generated.types import Charges, MarketParameter
from anchor_client.market import Market, RentalWanted
from anchor_client.rules.meter import claimed
from host_agent import metering
from host_agent.machine import MeteredUsage
from host_agent.metering import GB, MB, Metering
from local_market.simulated_machine import SimulatedMachine
from tests.markets.marketplace import TOKEN, Marketplace

CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=1, storage_usd=100)
WINDOW = 600
HOUR = 3_600
ORDER_HASH = bytes(range(32))


class UsedMachine(SimulatedMachine):
    """Says what the test says that its tenant uses."""

    used: MeteredUsage | None = MeteredUsage(0, 0)

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        return self.used


@dataclass
class Scene:
    """A running rental, and the meter's reader of its host."""

    marketplace: Marketplace
    host: Market
    renter: Market
    job: Pubkey
    machine: UsedMachine
    metering: Metering

    async def look(self, passed: int = 0) -> None:
        """Lets time pass, and has the agent look as it does after that time."""
        if passed:
            await self.marketplace.warp(passed)
        self.metering._looked_at = None
        await self.metering.look(self.job, await self.host.reads.rental(self.job), await self.host.reads.now())

    async def told(self) -> tuple[int, int]:
        """MB and GB-hours that the chain knows of."""
        meter = await self.host.charges.get(self.job)
        return meter.bandwidth_mb, meter.storage_gb_hours


@asynccontextmanager
async def rented(
    marketplace: Marketplace, *, storage_gb: int = 0, cap: int = 5 * TOKEN, runs: bool = True
) -> AsyncIterator[Scene]:
    renter = await marketplace.renter()
    async with marketplace.market(marketplace.authority) as admin:
        await admin.update({MarketParameter.CHARGE_WINDOW: WINDOW})
    [listing] = await marketplace.add_machines(1)
    async with marketplace.market(marketplace.host) as host, marketplace.market(renter) as market:
        await host.charges.set(listing, CHARGES)
        wanted = RentalWanted(
            listing=listing,
            duration=4 * HOUR,
            pay="USDC",
            order_hash=ORDER_HASH,
            max_charges=cap,
            storage_gb=storage_gb if cap else 0,
        )
        job = (await market.rental.open(wanted)).id
        if runs:
            await marketplace.run(job)
        machine = UsedMachine("test", listing, await host.reads.listing(listing))
        yield Scene(marketplace, host, market, job, machine, Metering(listing, machine, host))


async def test_metering__storage_is_charged__is_reported_at_the_end_alone(marketplace: Marketplace) -> None:
    async with rented(marketplace, storage_gb=50) as scene:
        scene.machine.used = MeteredUsage(0, 20 * GB)
        first = await scene.host.charges.get(scene.job)
        await scene.look()
        await scene.look(60)
        await scene.renter.rental.extend(scene.job, HOUR)
        await scene.look()
        assert (await scene.host.charges.get(scene.job)).seq == first.seq
        await scene.marketplace.warp(2 * HOUR - 60)
        scene.machine.used = MeteredUsage(3_000 * MB, 30 * GB)
        await scene.renter.rental.stop(scene.job)
        await scene.metering.finish(scene.job)
        meter = await scene.host.charges.get(scene.job)
        assert meter.bandwidth_mb == 3_000 and 39 <= meter.storage_gb_hours <= 40
        assert claimed(meter) > 0
        await scene.metering.catch_up()
        await scene.metering.finish(scene.job)
        assert (await scene.host.charges.get(scene.job)).seq == meter.seq


async def test_metering__order_that_never_started__is_left_alone(marketplace: Marketplace) -> None:
    async with rented(marketplace, storage_gb=50, runs=False) as scene:
        scene.machine.used = MeteredUsage(3_000 * MB, 30 * GB)
        await scene.renter.rental.stop(scene.job)
        await scene.metering.finish(scene.job)
        assert await scene.told() == (0, 0) and scene.metering._owed == {}


async def test_metering__within_the_allowance_and_without_storage__nothing_is_reported(
    marketplace: Marketplace,
) -> None:
    async with rented(marketplace) as scene:
        before = await scene.host.charges.get(scene.job)
        scene.machine.used = MeteredUsage(900 * MB, 20 * GB)
        await scene.look()
        await scene.look(3 * WINDOW)
        await scene.renter.rental.stop(scene.job)
        await scene.metering.finish(scene.job)
        meter = await scene.host.charges.get(scene.job)
        assert (meter.bandwidth_mb, meter.storage_gb_hours, claimed(meter)) == (0, 0, 0)
        assert before.reported_at == meter.reported_at


async def test_metering__long_rental__is_reported_once_what_is_pending_has_been_accepted(
    marketplace: Marketplace,
) -> None:
    async with rented(marketplace) as scene:
        await scene.look()
        scene.machine.used = MeteredUsage(2_000 * MB, 0)
        await scene.look(WINDOW)
        assert await scene.told() == (0, 0)
        await scene.look(WINDOW + 5)
        assert await scene.told() == (2_000, 0)
        scene.machine.used = MeteredUsage(4_000 * MB, 0)
        await scene.look(WINDOW)
        assert await scene.told() == (2_000, 0)
        await scene.look(WINDOW + 5)
        meter = await scene.host.charges.get(scene.job)
        assert (meter.bandwidth_mb, meter.accepted) == (4_000, 10_000) and meter.pending == 20_000


async def test_metering__container_starts_again_and_agent_too__no_traffic_counts_twice(
    marketplace: Marketplace,
) -> None:
    async with rented(marketplace) as scene:
        scene.machine.used = MeteredUsage(2_000 * MB, 0)
        await scene.look()
        scene.machine.used = MeteredUsage(500 * MB, 0)
        await scene.look(2 * WINDOW + 5)
        assert await scene.told() == (2_500, 0)
        scene.metering = Metering(Pubkey.new_unique(), scene.machine, scene.host)
        await scene.look()
        scene.machine.used = MeteredUsage(700 * MB, 0)
        await scene.renter.rental.stop(scene.job)
        await scene.metering.finish(scene.job)
        assert await scene.told() == (2_700, 0)


async def test_metering__node_is_down_at_the_end__last_report_is_made_later(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with rented(marketplace) as scene:
        scene.machine.used = MeteredUsage(2_000 * MB, 0)
        await scene.look()
        await scene.renter.rental.stop(scene.job)

        async def down(*arguments: object) -> None:
            raise UnreachableRpc("There is no route to the node")

        with monkeypatch.context() as patch:
            patch.setattr(scene.host.charges, "get", down)
            await scene.metering.finish(scene.job)
            await scene.metering.catch_up()
        assert await scene.told() == (0, 0)
        scene.machine.used = None
        await scene.metering.finish(scene.job)
        assert await scene.told() == (2_000, 0)


async def test_metering__no_meter_or_nothing_to_measure__is_left_alone(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with rented(marketplace, cap=0) as unmetered:
        await unmetered.look()
        await unmetered.metering.finish(unmetered.job)
        async with rented(marketplace, storage_gb=50) as unmeasured:
            unmeasured.machine.used = None
            await unmeasured.look()
            assert (await unmeasured.host.charges.get(unmeasured.job)).paid_until == 0
            measured = 0

            async def counted(rental: Pubkey) -> MeteredUsage:
                nonlocal measured
                measured += 1
                return MeteredUsage(0, 0)

            monkeypatch.setattr(unmeasured.machine, "usage", counted)
            monkeypatch.setattr(metering, "SAMPLE_SECONDS", 3_600.0)
            for _ in range(3):
                rental, now = await unmeasured.host.reads.rental(unmeasured.job), await unmeasured.host.reads.now()
                await unmeasured.metering.look(unmeasured.job, rental, now)
            assert measured == 0
            await unmeasured.look()
            assert measured == 1
