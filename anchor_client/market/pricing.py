"""Terms that prices are shown by, as the chain has them now."""

from __future__ import annotations

from anchor_client.errors import ProgramRefusal
from anchor_client.generated.accounts import PaymentMint
from anchor_client.market.reads import MarketReader
from anchor_client.rules.hourly import Pricing


async def read_pricing(reads: MarketReader) -> Pricing:
    """Terms that an order placed now is quoted by, in each token that is taken."""
    market = await reads.market()
    now = await reads.now()
    mints = [mint for mint in (await reads.payment_mints()).values() if mint.enabled]
    prices = [(mint, await _price(reads, mint, now)) for mint in mints]
    vaults = (await reads.vaults(market.market_mint)).values()
    return Pricing.at(market, market.market_mint, prices, vaults, now)


async def _price(reads: MarketReader, mint: PaymentMint, now: int) -> int:
    """Pico-USD per whole token; zero where the program would refuse an order for its price."""
    try:
        return (await reads.fresh_price(mint, now)).pico_usd
    except ProgramRefusal:
        return 0
