"""`gpu-market charges report`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.events import UsageReported
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def report(
    session: Session,
    job: JobId,
    bandwidth_mb: Annotated[int, typer.Argument(help="Total MB sent since the meter opened.", min=0)],
    storage_gb_hours: Annotated[
        int | None,
        typer.Option("--storage", help="Total GB-hours of storage; default: unchanged.", min=0),
    ] = None,
) -> None:
    """Report a job's total usage. It is paid unless the renter disputes it in time."""
    address, market = parse_address(job), session.signing
    meter = await market.charges.get(address)
    stored = meter.storage_gb_hours if storage_gb_hours is None else storage_gb_hours
    currencies = await session.currencies()
    sent = await market.charges.report(address, bandwidth_mb, stored)
    reported = next(event for event in sent.events if isinstance(event, UsageReported))
    document = {
        "job": job,
        "added": str(reported.added),
        "pending": str(reported.pending),
        "dispute_by": reported.dispute_by,
        "tx": str(sent.signature),
    }
    added = currencies.say(meter.mint, reported.added)
    session.out.show(document, lambda console: console.print(f"{added} added; the renter may dispute it."))
