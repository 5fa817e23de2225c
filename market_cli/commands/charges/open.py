"""`gpu-market charges open`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.show import show_meter
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def open_(
    session: Session,
    job: JobId,
    cap: Annotated[str, typer.Argument(help="Maximum charges, in the rental's token.")],
    storage_gb: Annotated[int, typer.Option("--storage-gb", help="GB of persistent storage.", min=0)] = 0,
) -> None:
    """Open a meter and escrow its maximum charges; `rent --max-charges` does so with the order."""
    address = parse_address(job)
    market, currencies = session.signing, await session.currencies()
    rental = await market.reads.rental(address)
    await market.charges.open(address, currencies.base_units(rental.mint, cap), storage_gb=storage_gb)
    await show_meter(session, market, address)
