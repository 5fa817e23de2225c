"""`gpu-market gpus`."""

from __future__ import annotations

from anchor_client.amounts import tokens, usd
from anchor_client.tokens import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import Session


@acting
async def gpus(session: Session) -> None:
    """Show GPU models with availability and hourly prices."""
    found = await session.market.gpus()
    rows = table("gpu", "id", "VRAM", "available", "market $/h", f"with {MARKET_TOKEN}/h", numbers=("available",))
    for gpu in found:
        price, rate = (gpu.market_rate, gpu.token_rate) if gpu.available else (None, None)
        rows.add_row(
            gpu.name,
            gpu.id,
            f"{gpu.vram_gb} GB {gpu.memory}",
            f"{gpu.available}/{gpu.listed}",
            "—" if price is None else usd(price.micro_usd_per_hour),
            "—" if rate is None else tokens(rate.base_units_per_hour, rate.decimals, MARKET_TOKEN),
        )
    session.out.show(found, rows)
