"""Spot through the client: bids, warnings, refunds and take-overs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import NotWaiting
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import Charges, CloseReason, RentalKind
from anchor_client.kinds import WAITING_MESSAGE
from anchor_client.market import Job, JobState, JobStatus, Market, RentalWanted, SpotEntry
from anchor_client.market.reads import MarketReader
from anchor_client.market.rental.ending import RentalEnding
from anchor_client.market.rental.plan import RentPlan
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from tests.markets.marketplace import H100, MIN_DURATION, TOKEN, Marketplace, spec
from tests.processes.patience import PATIENCE

ORDER_HASH = bytes(range(32))
HOUR = 3_600
GRACE = 90
MINIMUM = 1_000_000
CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=0, storage_usd=100)


async def spot_machine(marketplace: Marketplace) -> Pubkey:
    """A machine of its own that takes spot orders."""
    async with marketplace.market(marketplace.host) as host:
        listing = await host.host.create_listing(spec(spot=MINIMUM))
        await host.host.heartbeat([listing])
    return listing


async def bid(market: Market, listing: Pubkey, bid_usd: int = 0, pay: str = "GPUM") -> Pubkey:
    return (await market.spot.bid(listing, duration=HOUR, bid_usd=bid_usd, pay=pay, order_hash=ORDER_HASH)).id


async def gpum_of(market: Market) -> int:
    mint = (await market.reads.tokens()).mint("GPUM")
    return balance_in(await market.reads.program.account(associated_token(market.address, mint)))


async def test_bid__free_machine__takes_it_for_its_minimum(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    async with marketplace.market(await marketplace.renter()) as market:
        assert (await market.spot.book(listing)).least_bid_usd == MINIMUM
        job = await market.spot.bid(listing, duration=HOUR, order_hash=ORDER_HASH)
        assert (job.kind, job.rate_usd, job.status) == (RentalKind.SPOT, MINIMUM, JobState.QUEUED)
        book = await market.spot.book(listing)
        assert book.holder is not None and book.holder.address == job.id
        assert (book.challenger, book.least_bid_usd) == (None, 1_050_000)
        await market.rental.stop(job.id)


@pytest.mark.parametrize("pay", ["GPUM", "USDC", "SOL"])
@pytest.mark.parametrize("beaten_pay", ["GPUM", "SOL"])
async def test_bid__held_machine__waits_and_the_beaten_have_everything_back(
    marketplace: Marketplace, pay: str, beaten_pay: str
) -> None:
    listing = await spot_machine(marketplace)
    first, second, third = [await marketplace.renter() for _ in range(3)]
    async with marketplace.market(first) as a, marketplace.market(second) as b, marketplace.market(third) as c:
        holder = await bid(a, listing)
        await marketplace.run(holder)
        before, lamports = await gpum_of(b), await b.reads.program.balance(b.address)
        waiting = await b.spot.bid(listing, duration=HOUR, pay=beaten_pay, order_hash=ORDER_HASH)
        assert (waiting.message, waiting.rate_usd) == (WAITING_MESSAGE, 1_050_000)
        plan = await c.rental.plan.open(
            c.address, RentalWanted(HOUR, pay, ORDER_HASH, RentalKind.SPOT, listing=listing)
        )
        assert plan.entry is SpotEntry.OUTBID
        better = await c.spot.bid(listing, duration=HOUR, pay=pay, order_hash=ORDER_HASH)
        assert better.rate_usd == 1_102_500
        beaten = await b.jobs.get(waiting.id)
        assert (beaten.status, beaten.close_reason) == (JobState.PREEMPTED, CloseReason.OUTBID)
        assert beaten.refunded == beaten.deposit
        if beaten_pay == "GPUM":
            assert await gpum_of(b) == before
        else:
            assert await b.reads.program.account(associated_token(b.address, NATIVE_MINT)) is None
            assert lamports - await b.reads.program.balance(b.address) < beaten.deposit // 2
        assert (await a.jobs.get(holder)).preempt_at == (await a.spot.book(listing)).preempt_at

        await marketplace.warp(GRACE)
        async with marketplace.market(marketplace.oracle) as keeper:
            ended = await keeper.spot.preempt(listing)
        assert (ended.id, ended.status, ended.close_reason) == (holder, JobState.PREEMPTED, CloseReason.PREEMPTED)
        assert ended.used is not None and GRACE <= ended.used < HOUR and ended.refunded > 0
        [received] = (await a.jobs.with_history(holder)).compensations or ()
        paid = await c.jobs.with_history(better.id)
        assert (received.amount, received.mint, received.challenger) == (paid.compensation, paid.mint, better.id)
        assert paid.deposit + paid.compensation == better.deposit == paid.cost
        await marketplace.run(better.id)
        assert (await c.jobs.get(better.id)).cost == paid.cost
        stopped = await c.rental.stop(better.id)
        assert (stopped.status, stopped.compensation) == (JobState.COMPLETED, paid.compensation)
        assert stopped.cost == (await c.jobs.with_history(better.id)).cost


async def test_bid__orders_with_meters__end_with_theirs(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    first, second, third = [await marketplace.renter() for _ in range(3)]
    async with marketplace.market(marketplace.host) as host:
        await host.charges.set(listing, CHARGES)
    async with marketplace.market(first) as a, marketplace.market(second) as b, marketplace.market(third) as c:
        holder = await bid(a, listing)
        await marketplace.run(holder)
        beaten = await bid(b, listing)
        for market, job in ((a, holder), (b, beaten)):
            await market.charges.open(job, TOKEN)
        better = await bid(c, listing)
        await c.charges.open(better, TOKEN)
        assert (await b.charges.get(beaten)).ended_at > 0
        await marketplace.warp(GRACE)
        async with marketplace.market(marketplace.oracle) as keeper:
            await keeper.spot.preempt(listing)
        assert (await a.charges.get(holder)).ended_at > 0
        await c.rental.stop(better)
        assert (await c.charges.get(better)).ended_at > 0


async def test_bid__order_that_gets_a_meter_meanwhile__is_beaten_all_the_same(marketplace: Marketplace) -> None:
    """Whoever opens a meter just ahead of a higher bid keeps nobody from it."""
    listing = await spot_machine(marketplace)
    first, second, third = [await marketplace.renter() for _ in range(3)]
    async with marketplace.market(marketplace.host) as host:
        await host.charges.set(listing, CHARGES)
    async with marketplace.market(first) as a, marketplace.market(second) as b, marketplace.market(third) as c:
        await marketplace.run(await bid(a, listing))
        beaten = await bid(b, listing)

        async def open_meter(plan: RentPlan) -> None:
            await b.charges.open(beaten, TOKEN)

        wanted = RentalWanted(HOUR, "GPUM", ORDER_HASH, RentalKind.SPOT, listing=listing)
        better = await c.rental.open(wanted, before=open_meter)
        assert (await b.charges.get(beaten)).ended_at > 0
        assert (await c.spot.book(listing)).challenger.address == better.id  # type: ignore[union-attr]


@pytest.mark.parametrize("act", ["preempt", "stop", "cancel"])
async def test_ending__rental_that_gets_a_meter_meanwhile__is_ended_all_the_same(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with marketplace.market(first) as a, marketplace.market(second) as b:
        async with marketplace.market(marketplace.host) as host:
            await host.charges.set(listing, CHARGES)
            holder = await bid(a, listing)
            await marketplace.run(holder)
            await bid(b, listing)
            await marketplace.warp(GRACE)
            await host.host.heartbeat([listing])
            endings = [await RentalEnding.read(host.reads, each.address, holder) for each in (a, b, host)]
            await a.charges.open(holder, TOKEN)
            signers = [each.signer for each in endings]
            read = RentalEnding.read

            async def read_before(reads: MarketReader, signer: Pubkey, job: Pubkey) -> RentalEnding:
                if signer in signers:
                    signers.remove(signer)
                    return next(each for each in endings if each.signer == signer)
                return await read(reads, signer, job)

            monkeypatch.setattr(RentalEnding, "read", read_before)
            acts = {
                "preempt": lambda: b.spot.preempt(listing),
                "stop": lambda: a.rental.stop(holder),
                "cancel": lambda: host.rental.cancel(holder),
            }
            await acts[act]()
            assert len(signers) == len(endings) - 1
        assert (await a.charges.get(holder)).ended_at > 0


@pytest.mark.parametrize("leave", [lambda market: market.spot.withdraw, lambda market: market.rental.stop])
async def test_withdraw_bid__waiting_order__compensates_the_holder(
    marketplace: Marketplace, leave: Callable[[Market], Callable[[Pubkey], Awaitable[Job]]]
) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with marketplace.market(first) as a, marketplace.market(second) as b:
        holder = await bid(a, listing)
        before, held = await gpum_of(b), await gpum_of(a)
        waiting = await bid(b, listing)
        await marketplace.warp(1)
        ended = await leave(b)(waiting)
        assert (ended.status, ended.refunded) == (JobState.CANCELLED, ended.deposit)
        assert ended.cost == ended.compensation == -(-(ended.rate + ended.subsidy) * ended.min_charge // HOUR)
        assert (await gpum_of(b), await gpum_of(a)) == (before - ended.cost, held + ended.cost)
        [received] = (await a.jobs.with_history(holder)).compensations or ()
        assert (received.amount, received.challenger) == (ended.cost, waiting)
        assert (await b.jobs.with_history(waiting)).cost == ended.cost


async def test_withdraw_bid__order_that_has_the_machine__says_how_to_end_it(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    async with marketplace.market(await marketplace.renter()) as market:
        holder = await bid(market, listing)
        with pytest.raises(NotWaiting, match="does not wait") as caught:
            await market.spot.withdraw(holder)
        assert "gpu-market stop" in caught.value.remedy
        await market.rental.stop(holder)


async def test_withdraw_bid__paid_in_sol__comes_back_as_sol(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with marketplace.market(first) as a, marketplace.market(second) as b:
        await bid(a, listing)
        waiting = await bid(b, listing, pay="SOL")
        await marketplace.warp(1)
        await b.spot.withdraw(waiting)
        assert await b.reads.program.account(associated_token(b.address, NATIVE_MINT)) is None


async def test_watch__holder_that_is_challenged__is_warned_with_the_deadline(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with marketplace.market(first) as a, marketplace.market(second) as b:
        holder = await bid(a, listing)
        await marketplace.run(holder)
        seen: list[JobStatus] = []
        warned = asyncio.Event()

        async def watch() -> None:
            async for status in a.jobs.watch(holder):
                seen.append(status)
                if status.preempt_at is not None:
                    warned.set()

        watching = asyncio.create_task(watch())
        challenger = await bid(b, listing)
        async with asyncio.timeout(PATIENCE):
            await warned.wait()
        assert (seen[-1].status, seen[-1].preempt_at) == (JobState.RUNNING, (await a.spot.book(listing)).preempt_at)
        await a.rental.stop(holder)
        async with asyncio.timeout(PATIENCE):
            await watching
        assert seen[-1].status is JobState.COMPLETED
        async with marketplace.market(marketplace.oracle) as keeper:
            await keeper.spot.take_over(listing)
        told = await b.jobs.with_history(challenger)
        assert [status.message for status in told.history] == [WAITING_MESSAGE, "Waiting for the host to accept"]
        await b.rental.stop(challenger)


@pytest.mark.parametrize("leaves", [True, False])
async def test_order_that_waits__host_gives_the_holder_up__compensates_them(
    marketplace: Marketplace, leaves: bool
) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with (
        marketplace.market(first) as a,
        marketplace.market(second) as b,
        marketplace.market(marketplace.host) as host,
    ):
        holder = await bid(a, listing)
        challenger = await bid(b, listing)
        await host.rental.cancel(holder)
        assert (await host.reads.listing(listing)).departed == holder
        if leaves:
            await marketplace.warp(1)
            with pytest.raises(refusals.TakeOverDue):
                await b.spot.withdraw(challenger)
            await marketplace.warp((await host.reads.market()).offline_after + 1, heartbeat=False)
            assert (await b.spot.withdraw(challenger)).compensation > 0
        else:
            await host.spot.take_over(listing)
            assert (await b.reads.rental(challenger)).compensated
        assert (await host.reads.listing(listing)).departed == Pubkey.default()
    await marketplace.freshen()


async def test_entry__what_the_program_would_refuse__is_foreseen(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    first, second, third = [await marketplace.renter() for _ in range(3)]
    async with marketplace.market(first) as a, marketplace.market(second) as b, marketplace.market(third) as c:
        with pytest.raises(refusals.BidTooLow):
            await bid(a, listing, MINIMUM - 1)
        with pytest.raises(refusals.BidTooHigh):
            await bid(a, listing, 9_000_000)
        await bid(a, listing)
        with pytest.raises(refusals.SelfChallenge):
            await bid(a, listing)
        with pytest.raises(refusals.BidTooLow) as caught:
            await bid(b, listing, 1_049_999)
        assert "the least is $1.05 an hour" in str(caught.value)
        waiting = await b.spot.bid(listing, duration=MIN_DURATION, kind="on-demand", order_hash=ORDER_HASH)
        with pytest.raises(refusals.ListingOccupied):
            await bid(c, listing, 2_000_000)
        assert (await c.spot.book(listing)).least_bid_usd is None
        await marketplace.warp(GRACE)
        with pytest.raises(refusals.TakeOverDue):
            await bid(c, listing)
        await b.spot.withdraw(waiting.id)


async def test_bid__machine_held_at_more_than_it_costs_now__is_foreseen(marketplace: Marketplace) -> None:
    listing = await spot_machine(marketplace)
    first, second = [await marketplace.renter() for _ in range(2)]
    async with marketplace.market(first) as a, marketplace.market(second) as b:
        await bid(a, listing)
        async with marketplace.market(marketplace.host) as host:
            await host.host.update_listing(listing, spec(usd=MINIMUM - 1, spot=MINIMUM - 1))
        book = await b.spot.book(listing)
        assert (book.is_open, book.takes_full_price, book.least_bid_usd) == (True, False, None)
        with pytest.raises(refusals.PriceBelowHolder):
            await b.spot.bid(listing, duration=HOUR, kind="on-demand", order_hash=ORDER_HASH)
        with pytest.raises(refusals.BidTooLow):
            await bid(b, listing)


async def test_bid__machine_without_spot__is_refused(marketplace: Marketplace) -> None:
    async with marketplace.market(await marketplace.renter()) as market:
        with pytest.raises(refusals.SpotNotOffered):
            await bid(market, marketplace.listings[0])


async def test_rent__spot_on_any_machine__takes_one_that_goes_for_the_bid(marketplace: Marketplace) -> None:
    await spot_machine(marketplace)
    async with marketplace.market(await marketplace.renter()) as market:
        job = await market.rental.open(
            RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", kind="spot", bid_usd=MINIMUM + 1, order_hash=ORDER_HASH)
        )
        assert (job.rate_usd, job.kind) == (MINIMUM + 1, RentalKind.SPOT)
        await market.rental.stop(job.id)
