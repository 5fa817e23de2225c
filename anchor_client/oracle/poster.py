"""Posts a price: that of the sources if they can be believed, or a constant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market import Market
from anchor_client.oracle.errors import PriceRefused, Reason, SourceFailed
from anchor_client.oracle.judgement import Bounds, Quote, judge, step_towards
from anchor_client.oracle.sources import PICO_USD, Source
from anchor_client.solana.transactions import Sent

NAMESPACE = "gpu_market_oracle"


class OracleMetrics:
    """Metrics of one oracle, in their own registry."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.registry = CollectorRegistry()
        self.posted_at = Gauge(
            "posted_timestamp_seconds",
            "Time of the last post, unix seconds.",
            namespace=NAMESPACE,
            registry=self.registry,
        )
        self.price = Gauge("price_usd", "Price last posted, in dollars.", namespace=NAMESPACE, registry=self.registry)
        self.target = Gauge(
            "target_usd", "Price that the posts go to, in steps.", namespace=NAMESPACE, registry=self.registry
        )
        self.refused = Counter(
            "refused", "Turns without a post, by why.", ["reason"], namespace=NAMESPACE, registry=self.registry
        )
        self.source_ok = Gauge(
            "source_ok",
            "1 while a source is fresh and agrees with the others.",
            ["source"],
            namespace=NAMESPACE,
            registry=self.registry,
        )
        for reason in Reason:
            self.refused.labels(reason)
        for source in sources:
            self.source_ok.labels(source.name).set(0)


class PriceSources:
    """Sources of one token's price, and what is believed of them."""

    def __init__(self, sources: Sequence[Source], bounds: Bounds, *, seconds: float, metrics: OracleMetrics) -> None:
        self._sources = sources
        self._bounds = bounds
        self._seconds = seconds
        self._metrics = metrics

    async def price(self, before: int) -> int:
        """The price that the sources agree on, pico-USD per whole token; `before` is the price of now. PriceRefused."""
        asked = await asyncio.gather(*(self._quote(source) for source in self._sources))
        quotes = [quote for quote in asked if isinstance(quote, Quote)]
        believed: list[Quote] = []
        try:
            price, believed = judge(quotes, self._bounds, now=int(time.time()), before=before)
        except PriceRefused as refused:
            failed = "; ".join(error.message for error in asked if isinstance(error, SourceFailed))
            if failed:
                raise PriceRefused(refused.reason, f"{refused.message} ({failed})", refused.remedy) from None
            raise
        finally:
            names = {quote.source for quote in believed}
            for source in self._sources:
                self._metrics.source_ok.labels(source.name).set(source.name in names)
        return price

    async def _quote(self, source: Source) -> Quote | SourceFailed:
        try:
            return await source.quote(self._seconds)
        except SourceFailed as error:
            return error


class Poster:
    """Posts the price of a mint as its oracle; `price` is a constant, in pico-USD, or what the sources say."""

    def __init__(self, market: Market, mint: Pubkey, price: int | PriceSources, metrics: OracleMetrics) -> None:
        self._market = market
        self._mint = mint
        self._price = price
        self._metrics = metrics

    async def post(self) -> tuple[Sent, int]:
        """Posts once, and returns the price posted: at most a step toward the price of the sources. PriceRefused,
        or what sending raises.
        """
        try:
            target, amount = await self._next()
            sent = await self._market.post_price(self._mint, amount)
        except PriceRefused as refused:
            self._metrics.refused.labels(refused.reason).inc()
            raise
        except GpuMarketError:
            self._metrics.refused.labels(Reason.CHAIN).inc()
            raise
        self._metrics.posted_at.set_to_current_time()
        self._metrics.price.set(amount / PICO_USD)
        self._metrics.target.set(target / PICO_USD)
        return sent, amount

    async def _next(self) -> tuple[int, int]:
        """The price that the sources say, and the one to post now."""
        if isinstance(self._price, int):
            return self._price, self._price
        reads = self._market.reads
        mint, market = await reads.payment_mint(self._mint), await reads.market()
        target = await self._price.price(mint.price)
        waited = (await reads.program.clock()).unix_timestamp - mint.price_at
        if mint.price and waited < market.min_post_interval:
            # The price may not move yet; the same one stays fresh.
            return target, mint.price
        return target, step_towards(mint.price, target, market.post_step_bps)


def health_of(metrics: OracleMetrics, stale_seconds: float) -> Callable[[], dict[str, Any]]:
    """Makes the answer of /health: `ok` while a price was posted in the last `stale_seconds`."""

    def told() -> dict[str, Any]:
        last = metrics.registry.get_sample_value(f"{NAMESPACE}_posted_timestamp_seconds") or None
        age = None if last is None else max(time.time() - last, 0)
        return {"status": "ok" if age is not None and age <= stale_seconds else "stale", "posted_seconds_ago": age}

    return told
