"""`gpu-market stop`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.kinds import ISSUES
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.rental.job import JobId
from market_cli.commands.rental.render import job_table
from market_cli.session import Session


@acting
async def stop(
    session: Session,
    job: JobId,
    issue: Annotated[
        str | None,
        typer.Option("--issue", help=f"Also report an issue: {', '.join(ISSUES)}.", show_default=False),
    ] = None,
) -> None:
    """Stop a job: pay for the seconds used and refund the rest, in one transaction."""
    address = parse_address(job)
    ended = await session.signing.rental.stop(address, issue=issue)
    session.out.show(ended, lambda console: console.print(job_table(ended)))
