"""`gpu-market rate`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def rate(
    session: Session,
    job: JobId,
    rating: Annotated[int, typer.Argument(help="1 (bad) to 5 (good).", min=1, max=5)],
) -> None:
    """Rate the machine of a running job, once."""
    sent = await session.signing.rental.rate(parse_address(job), rating)
    document = {"job": job, "rating": rating, "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"Rated {rating} of 5."))
