"""A price that follows the market's."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.market import Market
from anchor_client.market.host.offers import Offer
from anchor_client.rules.catalog import gpu_slug

STEP: Final = 10
"""Largest step of a price, as a part of it."""
LEAST_CHANGE: Final = 100
"""A price moves by at least this part of itself: each change is a transaction."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PriceBounds:
    """Least and highest price of a machine, micro-USD per hour."""

    least: int
    most: int


def market_price(offers: Iterable[Offer], host: Pubkey) -> int | None:
    """Median price of a GPU-hour on the machines of other hosts that are online, rented or free; each GPU counts.
    Micro-USD, rounded down; of an even number the lower one. None without any.
    """
    prices = sorted(
        price
        for offer in offers
        if offer.listing.host != host and offer.listing.visible and offer.online and offer.approved
        for price in [offer.listing.on_demand_usd // offer.listing.gpu_count] * offer.listing.gpu_count
    )
    return next(iter(prices[(len(prices) - 1) // 2 :]), None)


def followed(old: int, market: int, bounds: PriceBounds) -> int:
    """Next price of a machine: a step toward `market`, the market's for a machine like it, and inside the bounds."""
    old_within = max(bounds.least, min(old, bounds.most))
    step = old_within // STEP + 1
    wanted = max(bounds.least, min(market, bounds.most))
    new = max(old_within - step, min(wanted, old_within + step))
    if abs(new - old_within) * LEAST_CHANGE < old_within:
        return old_within
    return new


async def follow(market: Market, listing: Pubkey, bounds: PriceBounds, every: float) -> None:
    """Follows until cancelled; what fails is logged, and tried again."""
    while True:
        try:
            await _follow(market, listing, bounds)
        except GpuMarketError as error:
            log.warning("price_not_followed", listing=str(listing), error=error.message, remedy=error.remedy)
        await asyncio.sleep(every)


async def _follow(market: Market, address: Pubkey, bounds: PriceBounds) -> None:
    listing = await market.reads.listing(address)
    median = market_price(await market.listings(gpu=gpu_slug(listing.gpu_model)), listing.host)
    price = listing.on_demand_usd
    if median is None:
        log.info("market_price_unknown", listing=str(address), gpu=gpu_slug(listing.gpu_model))
    else:
        price = median * listing.gpu_count
    new = followed(listing.on_demand_usd, price, bounds)
    if new != listing.on_demand_usd:
        await market.host.update_price(address, new, _spot(listing, new))
        log.info(
            "price_followed", listing=str(address), old_usd=listing.on_demand_usd, new_usd=new, median_gpu_usd=median
        )


def _spot(listing: Listing, new: int) -> int:
    """The minimum bid, moved by the same share as the price; rounded down."""
    return listing.spot_min_usd * new // listing.on_demand_usd
