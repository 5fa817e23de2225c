"""`gpu-market host price`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.session import Session
from market_cli.units import micro_usd


@acting
async def price(
    session: Session,
    listing: Annotated[str, typer.Argument(help="Listing address.")],
    price: Annotated[str, typer.Argument(help="Dollars per machine-hour.")],
    spot_price: Annotated[
        str | None,
        typer.Option(
            "--spot-price", help="Minimum spot bid in dollars per hour; default: unchanged.", show_default=False
        ),
    ] = None,
) -> None:
    """Change a listing's price for new rentals; running ones keep theirs."""
    on_demand = micro_usd(price)
    spot = micro_usd(spot_price) if spot_price is not None else None
    sent = await session.signing.host.update_price(parse_address(listing), on_demand, spot)
    document = {"listing": listing, "on_demand_usd": on_demand, "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"{listing} is {usd(on_demand)}/h for new rentals."))
