"""A renter's side of the market, through the client and the program."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.connection import Connection
from anchor_client.errors import UnreachableApi
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Rental
from anchor_client.generated.events import RentalExtended, RentalRated
from anchor_client.generated.types import CloseReason, MarketParameter, PauseArea
from anchor_client.market import JobState, Market, RentalWanted
from anchor_client.market.rental import delivery
from anchor_client.orders import KeyDirectory, OrderDocument, SealedOrder, Workload
from anchor_client.rules.rental import split
from anchor_client.sealing import SealKey
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from anchor_client.solana.transactions import Sent
from anchor_client.solana.wallet import Wallet
from tests.anchor_client.sealed_orders import SealedOrderMemory
from tests.markets.marketplace import H100, MIN_DURATION, SOL, TOKEN, Marketplace, spec

RTX_3090, MI300X = "nvidia-rtx-3090-24gb", "amd-mi300x-192gb"
ORDER_HASH = bytes(range(32))
HOUR = 3_600
TOKEN_ACCOUNT_RENT = 2_039_280


async def tokens_of(market: Market, owner: Pubkey, mint: Pubkey) -> int:
    return balance_in(await market.reads.program.account(associated_token(owner, mint)))


@pytest.mark.parametrize("pay", ["GPUM", "USDC"])
async def test_rent__in_a_token__charges_the_quote_and_stop_returns_the_rest(
    marketplace: Marketplace, pay: str
) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        mint = (await market.reads.tokens()).mint(pay)
        before = await tokens_of(market, renter.pubkey(), mint)
        plan = await market.rental.plan.open(renter.pubkey(), RentalWanted(HOUR, pay, ORDER_HASH, gpu=H100))
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=pay, order_hash=ORDER_HASH))
        assert (job.status, job.cost, job.deposit, job.token) == (JobState.QUEUED, plan.quote.deposit, job.cost, pay)
        assert (job.gpu, job.region, job.order_hash) == (H100, "eu-west", ORDER_HASH)
        assert await tokens_of(market, renter.pubkey(), mint) == before - job.deposit

        await marketplace.run(job.id)
        await marketplace.warp(600)
        rental = await market.reads.rental(job.id)
        ended = await market.rental.stop(job.id)

        assert ended.used is not None and ended.used >= 600
        expected = split(rental, ended.used, host_at_fault=False)
        assert (ended.burned, ended.refunded, ended.fees) == (expected.burned, expected.refunded, expected.fees)
        assert ended.deposit + ended.subsidy == (
            ended.host_paid + ended.fees + ended.burned + ended.refunded + ended.subsidy_returned
        )
        assert ended.cost == ended.deposit - ended.refunded
        assert await tokens_of(market, renter.pubkey(), mint) == before - ended.cost
        assert (ended.burn_tx == ended.close_tx) == (pay == "GPUM")
        assert (ended.status, ended.close_reason) == (JobState.COMPLETED, CloseReason.STOPPED)


async def test_rent__in_sol__wraps_and_unwraps_inside_the_transactions(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        await market.rental.register()
        before = await market.reads.program.balance(renter.pubkey())
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="SOL", order_hash=ORDER_HASH))
        assert job.mint == NATIVE_MINT and job.token == "SOL"
        opened = await market.session.sender.details(job.open_tx) if job.open_tx else None
        assert opened is not None
        account = await market.reads.program.account(job.id)
        assert account is not None
        held = before - job.deposit - account.lamports - opened.fee
        assert await market.reads.program.balance(renter.pubkey()) == held

        ended = await market.rental.stop(job.id)
        assert ended.status is JobState.CANCELLED and ended.refunded == job.deposit
        assert ended.close_tx is not None
        closed = await market.session.sender.details(ended.close_tx)
        assert await market.reads.program.balance(renter.pubkey()) == before - opened.fee - closed.fee
        assert await market.reads.program.account(associated_token(renter.pubkey(), NATIVE_MINT)) is None


async def test_stop__running_rental_paid_in_sol__pays_the_host_and_leaves_no_wrapped_sol(
    marketplace: Marketplace,
) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="SOL", order_hash=ORDER_HASH))
        await marketplace.run(job.id)
        await marketplace.warp(600)
        host_before = await market.reads.program.balance(marketplace.host.pubkey())
        ended = await market.rental.stop(job.id)
        assert await market.reads.program.balance(marketplace.host.pubkey()) == host_before + ended.host_paid
        assert ended.host_paid > 0
        assert await market.reads.program.account(associated_token(renter.pubkey(), NATIVE_MINT)) is None


async def test_compute__an_order__reaches_the_host_and_the_connection_comes_back(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    renter, orders = await marketplace.renter(), SealedOrderMemory()
    market = Market.connect(
        marketplace.cluster.rpc_url,
        renter,
        ws_url=marketplace.cluster.ws_url,
        renter_keys=KeyDirectory(tmp_path / "keys"),
        deliver_order=orders.deliver,
    )
    async with market:
        job = await market.compute(
            gpu=H100, duration=HOUR, script="python train.py", image="acme/train:1", ports=["22/tcp"], env={"A": "1"}
        )
        assert await market.rental.connection(job.id) is None
        sealed = await orders.find(renter.pubkey(), job.order_hash)
        assert sealed is not None
        document = OrderDocument.opened(sealed, marketplace.seal_key, job.order_hash)
        assert (document.command, document.image, document.env) == ("python train.py", "acme/train:1", {"A": "1"})
        connection = Connection(host="n1.example.net", port=20_001, password="one-time")
        await marketplace.run(job.id, connection.sealed(document.renter_public_key))
        assert await market.rental.connection(job.id) == connection
        await market.rental.stop(job.id)


async def test_order__rental_that_waits__is_handed_over_again_until_it_is_known_to_have_its_rental(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "REPEAT_SECONDS", 0.01)
    handed_over: list[SealedOrder] = []
    is_known = asyncio.Event()

    async def deliver(order: SealedOrder) -> bool:
        handed_over.append(order)
        if len(handed_over) == 3:
            raise UnreachableApi("away")
        if len(handed_over) == 5:
            is_known.set()
        return is_known.is_set()

    market = Market.connect(
        marketplace.cluster.rpc_url,
        await marketplace.renter(),
        ws_url=marketplace.cluster.ws_url,
        deliver_order=deliver,
    )
    async with market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM"), Workload())
        async with aclosing(market.jobs.watch(job.id)) as states:
            assert await anext(states)
            await is_known.wait()
        assert [each.rental for each in handed_over] == [None, *[job.id] * 4]
        assert len({each.signature for each in handed_over}) == 1
        async with aclosing(market.jobs.watch(job.id)) as states:
            assert await anext(states)
        assert len(handed_over) == 5 and not market.session.open_orders
        await market.rental.stop(job.id)


async def test_connection__host_without_the_order__is_sealed_to_the_wallet(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM"), Workload())
        connection = Connection(host="n2.example.net", port=20_002, password="one-time")
        await marketplace.run(job.id, connection.sealed(SealKey.of_wallet(Wallet(renter)).public))
        assert await market.rental.connection(job.id) == connection
        await market.rental.stop(job.id)


async def test_extend__a_running_rental__costs_its_own_rate_and_moves_its_end(marketplace: Marketplace) -> None:
    for pay in ("GPUM", "SOL"):
        renter = await marketplace.renter()
        async with marketplace.market(renter) as market:
            job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=pay, order_hash=ORDER_HASH))
            await marketplace.run(job.id)
            with pytest.raises(refusals.CostAboveMaximum, match=rf"it costs \d+\.\d+ {pay}, the maximum is"):
                await market.rental.extend(job.id, HOUR, max_cost=1)
            sent = await market.rental.extend(job.id, HOUR)
            extended = await market.jobs.get(job.id)
            assert extended.duration == 2 * HOUR
            assert extended.deposit == job.deposit + sent.event(RentalExtended).deposit_added
            told = await market.jobs.with_history(job.id)
            assert (told.duration, told.deposit) == (extended.duration, extended.deposit)
            ended = await market.rental.stop(job.id)
            assert ended.deposit == extended.deposit


async def test_extend__token_that_fell_further_than_the_market_tolerates__is_foreseen(marketplace: Marketplace) -> None:
    gpum = marketplace.gpum.pubkey()
    async with marketplace.market(await marketplace.renter()) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))
        await marketplace.run(job.id)
        price, tolerance = (await market.reads.payment_mint(gpum)).price, MarketParameter.EXTEND_TOLERANCE_BPS
        async with (
            marketplace.market(marketplace.oracle) as oracle,
            marketplace.market(marketplace.authority) as admin,
        ):
            await admin.update({tolerance: 0})
            await oracle.post_price(gpum, price * 96 // 100)
            with pytest.raises(refusals.RentalRepriced, match="it would cost more today"):
                await market.rental.extend(job.id, HOUR)
            await oracle.post_price(gpum, price)
            await market.rental.extend(job.id, HOUR)
            await admin.update({tolerance: 1_000})
        await market.rental.stop(job.id)


async def test_rate__a_running_rental__counts_once(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))
        await marketplace.run(job.id)
        await marketplace.warp(60)
        for rating in (0, 6):
            with pytest.raises(refusals.InvalidRating):
                await market.rental.rate(job.id, rating)
        assert (await market.rental.rate(job.id, 5)).event(RentalRated).rating == 5
        with pytest.raises(refusals.AlreadyRated):
            await market.rental.rate(job.id, 4)
        await market.rental.stop(job.id)


async def test_rent__reserved__takes_the_terms_alone_and_the_discount(marketplace: Marketplace) -> None:
    renter = await marketplace.renter(usdc=100_000 * TOKEN)
    async with marketplace.market(renter) as market:
        with pytest.raises(refusals.InvalidReservedTerm):
            await market.rental.open(
                RentalWanted(gpu=H100, duration=HOUR, pay="USDC", order_hash=ORDER_HASH, kind="reserved")
            )
        wanted = RentalWanted(gpu=H100, duration=7 * 86_400, pay="USDC", order_hash=ORDER_HASH, kind="reserved")
        with pytest.raises(refusals.ReservedFinish):
            await market.rental.open(replace(wanted, until_exit=True))
        job = await market.rental.open(wanted)
        assert job.rate_usd == 2_760_000 * 9 // 10
        await market.rental.stop(job.id)


async def test_rent__the_cheapest_that_fits__is_taken_and_next_the_next(marketplace: Marketplace) -> None:
    gpu = "nvidia-h200-sxm5-141gb"
    async with marketplace.market(marketplace.host) as host:
        specs = [spec(gpu, "us-east", usd=3_000_000), spec(gpu, "us-west", usd=2_000_000)]
        hidden = spec(gpu, "us-west", usd=1_000_000, visible=False)
        dear, cheap, unseen = await host.host.create_listings([*specs, hidden])
        await host.host.heartbeat([dear, cheap, unseen])
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        wanted = RentalWanted(gpu=gpu, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH)
        pinned = await market.rental.open(replace(wanted, region="us-east"))
        first = await market.rental.open(wanted)
        assert (pinned.listing, first.listing) == (dear, cheap)
        with pytest.raises(errors.NothingAvailable, match="No idle H200 SXM5 can be rented"):
            await market.rental.open(wanted)
        for job in (pinned, first):
            await market.rental.stop(job.id)


async def test_rent__needs_alone__go_to_the_cheapest_machine_that_meets_them(marketplace: Marketplace) -> None:
    async with marketplace.market(marketplace.host) as host:
        small, large = (spec(name, "us-east", usd=usd) for name, usd in ((RTX_3090, 100_000), (MI300X, 900_000)))
        pair = replace(spec(MI300X, "us-east", usd=800_000), gpu_count=2)
        listings = await host.host.create_listings([small, large, pair])
        await host.host.heartbeat(listings)
    async with marketplace.market(await marketplace.renter()) as market:
        wanted = RentalWanted(duration=HOUR, pay="GPUM", order_hash=ORDER_HASH, min_vram_gb=192)
        jobs = [await market.rental.open(replace(wanted, count=count)) for count in (1, 2)]
        assert [job.listing for job in jobs] == listings[1:]
        with pytest.raises(
            errors.NothingAvailable, match="No idle machine with 192 GB of VRAM in US East can be"
        ) as none:
            await market.rental.open(replace(wanted, region="us-east"))
        assert "Leave out the region, or the minimum VRAM. " in none.value.remedy
        for kind, least in (("on-demand", "Raise the maximum price"), ("spot", "Bid more")):
            with pytest.raises(errors.NothingAvailable) as unverified:
                await market.rental.open(replace(wanted, kind=kind, among=frozenset()))
            assert f"or `--verified` and minima of measured figures. {least}" in unverified.value.remedy
        among = await market.rental.open(replace(wanted, min_vram_gb=0, among=frozenset(listings)))
        assert among.listing == listings[0]
        for job in (*jobs, among):
            await market.rental.stop(job.id)


async def test_rent__listing_taken_meanwhile__tries_the_next(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = "nvidia-a100-pcie-40gb"
    async with marketplace.market(marketplace.host) as host:
        listings = await host.host.create_listings([spec(gpu, usd=600_000), spec(gpu, usd=620_000)])
        await host.host.heartbeat(listings)
    first, second = await marketplace.renter(), await marketplace.renter()
    async with marketplace.market(first) as fast, marketplace.market(second) as slow:
        send = slow.session.sender.send
        raced: list[Pubkey] = []

        async def overtaken(instructions: Sequence[Instruction], **options: Any) -> Sent:
            if not raced:
                raced.append(listings[0])
                await fast.rental.open(
                    RentalWanted(listing=listings[0], duration=HOUR * 2, pay="GPUM", order_hash=ORDER_HASH)
                )
            return await send(instructions, **options)

        monkeypatch.setattr(slow.session.sender, "send", overtaken)
        job = await slow.rental.open(RentalWanted(gpu=gpu, duration=HOUR * 2, pay="GPUM", order_hash=ORDER_HASH))
        assert raced
        assert job.listing == listings[1]


@pytest.mark.parametrize("clients", [1, 2])
async def test_rent__twice_at_once_by_a_new_wallet__opens_both(marketplace: Marketplace, clients: int) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as first, marketplace.market(renter) as second:
        markets = (first, (first, second)[clients - 1])
        hashes = (ORDER_HASH, ORDER_HASH) if clients == 1 else (ORDER_HASH, bytes(32))
        jobs = await asyncio.gather(
            *(
                market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=order_hash))
                for market, order_hash in zip(markets, hashes, strict=True)
            )
        )
        assert len({job.id for job in jobs}) == len({job.listing for job in jobs}) == 2
        for job in jobs:
            await first.rental.stop(job.id)


async def test_rent__wrong_input__is_named_before_anything_is_sent(marketplace: Marketplace) -> None:
    renter = await marketplace.renter(gpum=TOKEN, usdc=0, lamports=SOL // 100)
    async with marketplace.market(renter) as market:
        good: dict[str, Any] = {"gpu": H100, "duration": HOUR, "pay": "GPUM", "order_hash": ORDER_HASH}
        cases: list[tuple[dict[str, Any], type[Exception]]] = [
            ({"gpu": "voodoo"}, errors.UnknownGpu),
            ({"gpu": "h100"}, errors.AmbiguousGpu),
            ({"region": "mars"}, errors.UnknownRegion),
            ({"kind": "forever"}, errors.UnknownKind),
            ({"bid_usd": 1_000_000}, refusals.InvalidBid),
            ({"pay": "DOGE"}, errors.UnknownPaymentToken),
            ({"pay": str(Pubkey.new_unique())}, errors.UnknownPaymentToken),
            ({"duration": MIN_DURATION - 1}, refusals.DurationTooShort),
            ({"duration": 2**31}, refusals.DurationTooLong),
            ({"duration": 60 * 86_400}, errors.NothingAvailable),
            ({"gpu": None, "listing": Pubkey.new_unique()}, errors.UnknownListing),
            ({"max_cost": 1}, refusals.CostAboveMaximum),
            ({}, errors.InsufficientBalance),
            ({"pay": "USDC"}, errors.InsufficientBalance),
            ({"pay": "SOL"}, errors.InsufficientBalance),
            ({"order_hash": b""}, errors.InvalidOrder),
        ]
        for wrong, expected in cases:
            with pytest.raises(expected) as raised:
                await market.rental.open(RentalWanted(**{**good, **wrong}))
            assert isinstance(raised.value, errors.GpuMarketError)
            assert "\n" not in raised.value.message and raised.value.remedy
        assert await market.reads.rentals(renter=renter.pubkey()) == {}


@pytest.mark.parametrize(
    ("pay", "told"),
    [
        ("GPUM", r"costs up to \d+\.\d+ GPUM, but the wallet holds 1 GPUM"),
        ("USDC", r"costs up to \d+\.\d+ USDC, but the wallet holds 0 USDC"),
        ("SOL", r"costs up to 0\.\d+ SOL, but the wallet holds 0\.01 SOL"),
    ],
)
async def test_rent__too_little_in_the_wallet__is_told_in_tokens(marketplace: Marketplace, pay: str, told: str) -> None:
    renter = await marketplace.renter(gpum=TOKEN, usdc=0, lamports=SOL // 100)
    async with marketplace.market(renter) as market:
        with pytest.raises(errors.InsufficientBalance, match=told):
            await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay=pay, order_hash=ORDER_HASH))


async def test_rent__below_the_order_minimum__says_how_long_is_enough(
    marketplace: Marketplace,
) -> None:
    gpu = "nvidia-rtx-4090-24gb"
    async with marketplace.market(marketplace.host) as host:
        await host.host.heartbeat([await host.host.create_listing(spec(gpu))])
    told = r"\$0\.003166; the minimum is \$0\.01, which 4 min of this machine come to"
    async with marketplace.market(await marketplace.renter()) as market:
        with pytest.raises(refusals.OrderBelowMinimum, match=told):
            await market.rental.open(RentalWanted(gpu=gpu, duration=MIN_DURATION, pay="GPUM", order_hash=ORDER_HASH))


async def test_rent__orders_paused__is_refused_by_name(marketplace: Marketplace) -> None:
    async with (
        marketplace.market(marketplace.authority) as admin,
        marketplace.market(await marketplace.renter()) as market,
    ):
        await admin.set_paused(PauseArea.ORDERS, paused=True)
        try:
            with pytest.raises(refusals.Paused):
                await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))
        finally:
            await admin.set_paused(PauseArea.ORDERS, paused=False)


async def test_stop__someone_elses_rental__is_refused(marketplace: Marketplace) -> None:
    renter, other = await marketplace.renter(), await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(other) as thief:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))
        with pytest.raises(refusals.WrongRenter):
            await thief.rental.stop(job.id)
        await market.rental.stop(job.id)
        with pytest.raises(errors.UnknownJob):
            await market.rental.stop(job.id)


async def test_rent__without_a_wallet__says_that_one_is_needed(marketplace: Marketplace) -> None:
    async with marketplace.market() as market:
        with pytest.raises(errors.WalletNeeded):
            await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))


async def test_plan__for_a_wallet_elsewhere__is_signed_there(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market() as api, marketplace.market(renter) as market:
        plan = await api.rental.plan.open(renter.pubkey(), RentalWanted(HOUR, "SOL", ORDER_HASH, gpu=H100))
        unsigned = await api.session.sender.unsigned(plan.instructions, renter.pubkey())
        assert unsigned.last_valid_block_height > 0
        await market.send(*plan.instructions)
        assert (await market.reads.program.read(Rental, plan.rental)) is not None
        stop = await api.rental.plan.stop(renter.pubkey(), plan.rental)
        await market.send(*stop.instructions)
        assert (await market.reads.program.read(Rental, plan.rental)) is None


async def test_rent__host_from_himself__finds_nothing(marketplace: Marketplace) -> None:
    async with marketplace.market(marketplace.host) as host:
        with pytest.raises(errors.NothingAvailable):
            await host.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="SOL", order_hash=ORDER_HASH))


def test_market__keypair_given__is_taken_as_a_wallet(marketplace: Marketplace) -> None:
    key = Keypair()
    assert marketplace.market(key).address == key.pubkey()
