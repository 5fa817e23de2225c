"""Prices that are posted on a market, by sources of ours that lie, lag and die, and those that are not."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest

from anchor_client.errors import GpuMarketError
from anchor_client.market import Market
from anchor_client.oracle.errors import PriceRefused, Reason
from anchor_client.oracle.judgement import Bounds
from anchor_client.oracle.poster import NAMESPACE, OracleMetrics, Poster, PriceSources, health_of
from anchor_client.oracle.sources import PICO_USD, Source
from anchor_client.solana.tokens import NATIVE_MINT
from tests.anchor_client.oracle.test_sources import WHAT, answer, told
from tests.anchor_client.solana.servers import serving
from tests.markets.cluster import Cluster
from tests.markets.marketplace import SOL_PRICE, Marketplace
from tests.processes.patience import PATIENCE

BOUNDS = Bounds(least=2, max_age=120, max_deviation_bps=200, max_change_bps=3_000)
NOW = SOL_PRICE / PICO_USD


class Exchange:
    """An API of ours: `price` in dollars, `age` in seconds; while it is dead it answers 503."""

    def __init__(self, kind: str) -> None:
        self.kind, self.price, self.age, self.is_dead = kind, NOW, 0, False

    async def serve(self, request: bytes) -> bytes:
        said = told(self.kind, f"{self.price:.6f}", time.time() - self.age)
        return answer("", 503) if self.is_dead else answer(json.dumps(said))


class Desk:
    """A poster of SOL's price by three exchanges."""

    def __init__(self, market: Market, cluster: Cluster, exchanges: dict[str, Exchange], sources: list[Source]) -> None:
        self.pyth, self.coinbase, self.bitstamp = exchanges.values()
        self.market = market
        self.cluster = cluster
        self.metrics = OracleMetrics(sources)
        prices = PriceSources(sources, BOUNDS, seconds=PATIENCE, metrics=self.metrics)
        self.poster = Poster(market, NATIVE_MINT, prices, self.metrics)

    async def posted(self) -> int:
        """The price on the chain after a post."""
        await self.post(self.poster)
        return (await self.market.reads.payment_mint(NATIVE_MINT)).price

    async def post(self, poster: Poster) -> None:
        """Posts once, under a blockhash of its own: the same price under the same one is the same transaction."""
        await self.cluster.expire_blockhashes()
        await poster.post()

    async def refused(self, reason: Reason) -> str:
        """The words of a refusal; the price is left as it was."""
        before = await self.market.reads.payment_mint(NATIVE_MINT)
        count = self.count(reason)
        with pytest.raises(PriceRefused) as error:
            await self.poster.post()
        assert error.value.reason is reason and self.count(reason) == count + 1
        assert await self.market.reads.payment_mint(NATIVE_MINT) == before
        return error.value.message

    def count(self, reason: Reason) -> float:
        return self.metrics.registry.get_sample_value(f"{NAMESPACE}_refused_total", {"reason": reason}) or 0

    def believed(self) -> list[str]:
        named = {source: f"{source}:{what}" for source, what in WHAT.items()}
        value = self.metrics.registry.get_sample_value
        return [kind for kind, name in named.items() if value(f"{NAMESPACE}_source_ok", {"source": name})]


@asynccontextmanager
async def desk_of(marketplace: Marketplace) -> AsyncIterator[Desk]:
    async with AsyncExitStack() as stack:
        exchanges = {kind: Exchange(kind) for kind in WHAT}
        servers = [await stack.enter_async_context(serving(each.serve)) for each in exchanges.values()]
        sources = [
            Source.parse(f"{kind}:{what}@{server.url}")
            for (kind, what), server in zip(WHAT.items(), servers, strict=True)
        ]
        market = await stack.enter_async_context(marketplace.market(marketplace.oracle))
        yield Desk(market, marketplace.cluster, exchanges, sources)


@pytest.fixture
async def desk(marketplace: Marketplace) -> AsyncIterator[Desk]:
    async with desk_of(marketplace) as found:
        yield found
        # The market is other tests' too.
        await found.post(Poster(found.market, NATIVE_MINT, SOL_PRICE, OracleMetrics()))


async def test_post__three_agree__the_middle_price_is_posted(desk: Desk) -> None:
    desk.coinbase.price, desk.pyth.price = NOW * 1.002, NOW * 1.001
    price = await desk.posted()
    assert price == pytest.approx(SOL_PRICE * 1.001, rel=1e-5) and len(desk.believed()) == 3
    assert health_of(desk.metrics, PATIENCE)()["status"] == "ok"


async def test_post__one_lies_lags_or_dies__the_others_are_posted(desk: Desk) -> None:
    desk.coinbase.price = NOW * 100
    assert await desk.posted() == SOL_PRICE and desk.believed() == ["pyth", "bitstamp"]
    desk.coinbase.price, desk.coinbase.age = NOW, 121
    assert await desk.posted() == SOL_PRICE and desk.believed() == ["pyth", "bitstamp"]
    desk.coinbase.age, desk.coinbase.is_dead = 0, True
    assert await desk.posted() == SOL_PRICE and desk.believed() == ["pyth", "bitstamp"]
    desk.coinbase.is_dead = False
    assert await desk.posted() == SOL_PRICE and len(desk.believed()) == 3


async def test_post__two_of_three_are_gone__nothing_is_posted_and_each_is_named(desk: Desk) -> None:
    desk.coinbase.is_dead, desk.bitstamp.age = True, 1_000
    said = await desk.refused(Reason.SOURCES)
    assert "pyth" in said and "coinbase:SOL-USD answers with HTTP status 503" in said
    assert desk.believed() == [] and health_of(desk.metrics, PATIENCE)()["status"] == "stale"


async def test_post__all_say_ten_times_as_much__nothing_is_posted(desk: Desk) -> None:
    desk.pyth.price = desk.coinbase.price = desk.bitstamp.price = NOW * 10
    assert str(SOL_PRICE) in await desk.refused(Reason.CHANGE)


async def test_post__far_but_believed__goes_there_by_the_markets_step(desk: Desk) -> None:
    desk.pyth.price = desk.coinbase.price = desk.bitstamp.price = NOW * 1.25
    step = (await desk.market.reads.market()).post_step_bps
    assert await desk.posted() == SOL_PRICE + min(SOL_PRICE * step // 10_000, SOL_PRICE // 4)
    target = desk.metrics.registry.get_sample_value(f"{NAMESPACE}_target_usd")
    assert target == pytest.approx(NOW * 1.25)


async def test_post__price_may_not_move_yet__the_same_one_is_kept_fresh(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    market = await desk.market.reads.market()

    async def slower() -> object:
        return replace(market, min_post_interval=1_000)

    monkeypatch.setattr(desk.market.reads, "market", slower)
    desk.pyth.price = desk.coinbase.price = desk.bitstamp.price = NOW * 1.01
    before = await desk.market.reads.payment_mint(NATIVE_MINT)
    assert await desk.posted() == SOL_PRICE
    assert (await desk.market.reads.payment_mint(NATIVE_MINT)).seq > before.seq


async def test_post__chain_refuses__is_counted(marketplace: Marketplace) -> None:
    metrics = OracleMetrics()
    async with marketplace.market(await marketplace.renter()) as stranger:
        with pytest.raises(GpuMarketError):
            await Poster(stranger, NATIVE_MINT, SOL_PRICE, metrics).post()
    assert metrics.registry.get_sample_value(f"{NAMESPACE}_refused_total", {"reason": Reason.CHAIN}) == 1
    assert metrics.registry.get_sample_value(f"{NAMESPACE}_posted_timestamp_seconds") == 0
