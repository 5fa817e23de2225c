"""`gpu-market charges set`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import Charges
from anchor_client.resources.charges import say_charges
from anchor_client.rules.listing import charges_of
from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import MAX_U32, micro_usd


@acting
async def set_(
    session: CliSession,
    listing: ListingAddress,
    bandwidth: Annotated[
        str | None,
        typer.Option("--bandwidth", help="Dollars per GB sent beyond the free allowance.", show_default=False),
    ] = None,
    free_gb: Annotated[
        int | None, typer.Option("--free-gb", help="Free GB of traffic per rental.", min=0, max=MAX_U32)
    ] = None,
    storage: Annotated[
        str | None, typer.Option("--storage", help="Dollars per GB-hour of storage.", show_default=False)
    ] = None,
) -> None:
    """Set a listing's traffic and storage prices for new rentals; 0 is free, and omitted options keep their value."""
    address = await session.listing(listing)
    market = session.signing
    old = charges_of(await market.reads.listing(address))
    new = Charges(
        bandwidth_usd=_unit_price(bandwidth, old.bandwidth_usd),
        bandwidth_free_gb=old.bandwidth_free_gb if free_gb is None else free_gb,
        storage_usd=_unit_price(storage, old.storage_usd),
    )
    sent = await market.charges.set(address, new)
    session.out.sent(sent, f"{listing} charges new rentals: {say_charges(new)}", listing=listing, **new.field_values())


def _unit_price(text: str | None, otherwise: int) -> int:
    price = otherwise if text is None else micro_usd(text)
    if price > MAX_U32:
        raise BadOption(f"{text!r} is too high for a unit price", "The maximum is $4,294.967295.")
    return price
