"""`gpu-market gpus`."""

from __future__ import annotations

from anchor_client.amounts import tokens, usd
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.accounts import PaymentMint
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.types import RentalKind
from anchor_client.market import GpuSupply
from anchor_client.rules.order import quote_ceil
from anchor_client.tokens import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.output import Json, table
from market_cli.session import Session

HOUR = SECONDS_PER_HOUR


@acting
async def gpus(session: Session) -> None:
    """Show GPU models with availability and hourly prices."""
    market, currencies = session.market, await session.currencies()
    terms, mint = await market.reads.market(), currencies.payment_mint(MARKET_TOKEN)
    supplies = await market.gpus()
    rows = table(None, "gpu", "id", "VRAM", "available", "market $/h", f"with {MARKET_TOKEN}/h", numbers=("available",))
    for supply in supplies:
        rate = _hourly(supply, terms, mint)
        rows.add_row(
            supply.model.name,
            supply.model.slug,
            f"{supply.model.vram_gb} GB {supply.model.memory}",
            f"{supply.available}/{supply.listed}",
            "—" if supply.from_usd is None else usd(supply.from_usd),
            "—" if rate is None else tokens(rate, mint.decimals, MARKET_TOKEN),
        )
    session.out.show([_document(supply, terms, mint) for supply in supplies], lambda console: console.print(rows))


def _hourly(supply: GpuSupply, terms: MarketAccount, mint: PaymentMint) -> int | None:
    """What an hour of the cheapest one costs in the market token, base units; None without one or without a price."""
    if supply.from_usd is None or mint.price == 0:
        return None
    return quote_ceil(supply.from_usd, RentalKind.ON_DEMAND, HOUR, terms, mint).deposit


def _document(supply: GpuSupply, terms: MarketAccount, mint: PaymentMint) -> Json:
    rate = _hourly(supply, terms, mint)
    return {
        "id": supply.model.slug,
        "name": supply.model.name,
        "architecture": supply.model.architecture,
        "vram_gb": supply.model.vram_gb,
        "listed": supply.listed,
        "available": supply.available,
        "from_usd_micro": supply.from_usd,
        "rate_base_units": rate,
        "rate_token": MARKET_TOKEN,
        "rate_decimals": mint.decimals,
    }
