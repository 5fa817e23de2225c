"""Terms that prices are shown by, as the chain has them now."""

from __future__ import annotations

from anchor_client.market.reads import MarketReader
from anchor_client.rules.hourly import Pricing


async def read_pricing(reads: MarketReader) -> Pricing:
    """Terms that an order placed now is quoted by, in each token that is taken."""
    market = await reads.market()
    now = await reads.now()
    mints = [mint for mint in (await reads.payment_mints()).values() if mint.enabled]
    fresh = {mint.mint: price.pico_usd async for mint, price in reads.fresh_prices(mints, now)}
    vaults = (await reads.vaults(market.market_mint)).values()
    return Pricing.at(market, market.market_mint, [(mint, fresh.get(mint.mint, 0)) for mint in mints], vaults, now)
