"""`gpu-market extend`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.rental.job import JobId
from market_cli.commands.rental.render import job_table
from market_cli.session import Session
from market_cli.units import parse_duration


@acting
async def extend(
    session: Session,
    job: JobId,
    duration: Annotated[str, typer.Argument(help="Additional time: 1h, 30m, or seconds.")],
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", help="Maximum cost of the extension, in the rental's token.", show_default=False),
    ] = None,
) -> None:
    """Extend a running rental at its original price."""
    address, seconds = parse_address(job), parse_duration(duration)
    market, currencies = session.signing, await session.currencies()
    rental = await market.reads.rental(address)
    most = currencies.base_units(rental.mint, max_cost) if max_cost is not None else None
    await market.rental.extend(address, seconds, max_cost=most)
    extended = await market.jobs.get(address)
    session.out.show(extended, lambda console: console.print(job_table(extended)))
