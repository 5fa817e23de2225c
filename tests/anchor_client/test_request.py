"""Requests through the client and the program: opened, watched, matched, cancelled and expired."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from anchor_client import errors
from anchor_client.connection import Connection
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Request
from anchor_client.generated.types import RentalKind
from anchor_client.market import Job, JobState, MachineRequest, MachineWanted, Market, RequestState
from anchor_client.orders import DocumentDirectory, KeyDirectory, OrderDocument, Workload
from anchor_client.rules.catalog import REGION_BY_SLUG, distance_km
from anchor_client.rules.order import quote_at_ceil
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from anchor_client.symbols import MARKET_TOKEN
from tests.anchor_client.sealed_orders import SealedOrderMemory
from tests.markets.marketplace import H100, TOKEN, Marketplace, spec

HOUR = 3_600
DAY = 86_400
WANTED = MachineWanted(gpu=H100, duration=HOUR, pay="USDC", max_usd=5_000_000, order_hash=bytes(range(32)))
TIP = 20_000


async def tokens_of(market: Market, symbol: str = "USDC") -> int:
    mint = (await market.reads.tokens()).mint(symbol)
    return balance_in(await market.reads.program.account(associated_token(market.address, mint)))


async def test_request__in_a_token__escrows_the_highest_cost_and_a_tenth(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        before = await tokens_of(market)
        request = await market.request.open(
            replace(WANTED, regions=("eu-west", "us-east"), near="us-east", min_score_bps=1)
        )
        mint = await market.reads.payment_mint(request.mint)
        quote = quote_at_ceil(WANTED.max_usd, RentalKind.ON_DEMAND, HOUR, await market.reads.market(), mint)
        assert request.deposit == -(-quote.deposit * 11_000 // 10_000)
        assert await tokens_of(market) == before - request.deposit
        assert (request.status, request.gpu, request.gpu_count, request.token) == (RequestState.OPEN, H100, 1, "USDC")
        assert (request.regions, request.near, request.min_score_bps) == (("us-east", "eu-west"), "us-east", 1)
        assert request.expires_at == pytest.approx(request.created_at + DAY, abs=5)
        assert await market.request.list(renter.pubkey()) == [replace(request, open_tx=None)]
        assert await market.request.get(request.id) == replace(request, open_tx=None)

        cancelled = await market.request.cancel(request.id)
        assert (cancelled.status, cancelled.refunded) == (RequestState.CANCELLED, request.deposit)
        assert await tokens_of(market) == before
        assert await market.request.list(renter.pubkey()) == []
        found = await market.request.get(request.id)
        assert (found.status, found.close_tx, found.open_tx) == (cancelled.status, cancelled.close_tx, request.open_tx)


@pytest.mark.parametrize("budget", [0, 1_000 * TOKEN])
async def test_request__in_the_market_token__is_matched_whatever_becomes_of_the_subsidy(
    marketplace: Marketplace, budget: int
) -> None:
    """A day's budget or a pool may be spent by the time of the match: the default deposit covers the whole price."""
    renter, keeper = await marketplace.renter(), await marketplace.renter()
    async with (
        marketplace.market(renter) as market,
        marketplace.market(keeper) as matcher,
        marketplace.market(marketplace.authority) as admin,
    ):
        wanted = replace(WANTED, pay=MARKET_TOKEN, max_usd=spec().on_demand_usd)
        request = await market.request.open(wanted)
        mint = await market.reads.payment_mint(request.mint)
        assert mint.subsidy_bps > 0
        await admin.host.approve(marketplace.host.pubkey(), subsidy_budget=budget)
        [listing] = await marketplace.add_machines(1)
        job = await matcher.request.match(request.id, listing)
        assert (job.subsidy > 0) is (budget > 0)
        assert budget or request.deposit * 10 // 11 <= job.deposit < request.deposit


async def test_request__in_sol__is_refunded_as_sol(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        request = await market.request.open(replace(WANTED, pay="SOL"))
        assert request.mint == NATIVE_MINT
        held = await market.reads.program.balance(renter.pubkey())
        account = await market.reads.program.account(request.id)
        assert account is not None
        cancelled = await market.request.cancel(request.id)
        assert cancelled.close_tx is not None
        fee = (await market.session.sender.details(cancelled.close_tx)).fee
        back = await market.reads.program.balance(renter.pubkey())
        assert back == held + request.deposit + account.lamports - fee


async def test_await_match__order_kept__reaches_the_host_and_the_connection_comes_back(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    renter, keeper = await marketplace.renter(), await marketplace.renter()
    orders = SealedOrderMemory()
    waiting = DocumentDirectory(tmp_path / "waiting")
    market = Market.connect(
        marketplace.cluster.rpc_url,
        renter,
        ws_url=marketplace.cluster.ws_url,
        tokens={"USDC": marketplace.usdc.pubkey()},
        renter_keys=KeyDirectory(tmp_path / "keys"),
        deliver_order=orders.deliver,
        waiting_documents=waiting,
    )
    async with market, marketplace.market(keeper) as matcher:
        request = await market.request.open(WANTED, Workload.of(command="python train.py"))
        assert waiting.find(request.order_hash) is not None
        assert await orders.find(renter.pubkey(), request.order_hash) is None
        watching = asyncio.create_task(market.request.await_match(request.id))
        [listing] = await marketplace.add_machines(1)
        matched = await matcher.request.match(request.id, listing)
        job = await watching
        assert isinstance(job, Job)
        assert (job.id, job.status, job.listing) == (matched.id, JobState.QUEUED, listing)
        assert job.deposit < request.deposit
        assert waiting.find(request.order_hash) is None
        sealed = await orders.find(renter.pubkey(), request.order_hash)
        assert sealed is not None
        document = OrderDocument.opened(sealed, marketplace.seal_key, request.order_hash)
        assert document.command == "python train.py"
        ended = await market.request.get(request.id)
        assert (ended.status, ended.listing, ended.job) == (RequestState.MATCHED, listing, job.id)
        assert ended.refunded == request.deposit - job.deposit

        connection = Connection(host="203.0.113.7", port=2222, user="root", password="once")
        await marketplace.run(job.id, connection.sealed(document.renter_public_key))
        assert await market.rental.connection(job.id) == connection
        await market.rental.stop(job.id)


async def test_expire_request__after_its_end__refunds_the_renter_and_tips_the_caller(marketplace: Marketplace) -> None:
    renter, keeper = await marketplace.renter(), await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(keeper) as cranker:
        before = await tokens_of(market)
        request = await market.request.open(replace(WANTED, valid_for=600))
        with pytest.raises(refusals.RequestNotExpired):
            await cranker.request.expire(request.id)
        await marketplace.warp(600)
        held = await cranker.reads.program.balance(keeper.pubkey())
        expired = await cranker.request.expire(request.id)
        assert expired.close_tx is not None
        fee = (await cranker.session.sender.details(expired.close_tx)).fee
        assert await cranker.reads.program.balance(keeper.pubkey()) == held + TIP - fee
        assert await tokens_of(market) == before
        found = await market.request.await_match(request.id)
        assert isinstance(found, MachineRequest) and found.status is RequestState.EXPIRED


async def test_match_request__listing_above_the_highest_price__is_refused_by_name(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(marketplace.host) as host:
        [dear] = await host.host.create_listings([spec(usd=WANTED.max_usd + 1)])
        await host.host.heartbeat()
        request = await market.request.open(WANTED)
        with pytest.raises(refusals.CostAboveMaximum):
            await market.request.match(request.id, dear)
        await market.request.cancel(request.id)
        await host.host.close_listing(dear)


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (replace(WANTED, kind="spot"), refusals.SpotRequest),
        (replace(WANTED, gpu="nvidia-h100-pcie-81gb"), errors.UnknownGpu),
        (replace(WANTED, regions=("eu-wets",)), errors.UnknownRegion),
        (replace(WANTED, near="nowhere"), errors.UnknownRegion),
        (replace(WANTED, duration=59), refusals.DurationTooShort),
        (replace(WANTED, max_usd=1), refusals.OrderBelowMinimum),
        (replace(WANTED, deposit=1), refusals.DepositTooSmall),
        (replace(WANTED, deposit=10**15), errors.InsufficientBalance),
        (replace(WANTED, valid_for=31 * DAY), refusals.InvalidRequest),
        (replace(WANTED, order_hash=bytes(32)), errors.InvalidOrder),
    ],
)
async def test_request__not_possible__is_refused_before_anything_moves(
    marketplace: Marketplace, wanted: MachineWanted, error: type[Exception]
) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        before = await tokens_of(market)
        with pytest.raises(error):
            await market.request.open(wanted)
        assert await tokens_of(market) == before
        assert await market.reads.program.read_all(Request, {"renter": bytes(renter.pubkey())}) == {}


async def test_requests__address_of_none__says_so(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        for act in (market.request.get, market.request.cancel, market.request.expire, market.request.await_match):
            with pytest.raises(errors.UnknownRequest):
                await act(renter.pubkey())


def test_distance__regions__is_the_great_circle() -> None:
    paris, ohio, mumbai = (REGION_BY_SLUG[slug] for slug in ("eu-west", "us-east", "ap-south"))
    assert distance_km(paris, paris) == 0
    assert distance_km(paris, ohio) == distance_km(ohio, paris) == pytest.approx(6_450, rel=0.02)
    assert distance_km(paris, mumbai) == pytest.approx(7_010, rel=0.02)
