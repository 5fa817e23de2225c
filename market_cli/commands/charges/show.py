"""`gpu-market charges show`."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.market import Market
from anchor_client.resources.charges import job_charges
from anchor_client.rules.meter import dispute_by, resolve_by
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.render import charges_table
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def show(session: Session, job: JobId) -> None:
    """Show a job's usage, its charges and what can still be disputed."""
    await show_meter(session, session.market, parse_address(job))


async def show_meter(session: Session, market: Market, job: Pubkey) -> None:
    """The command's result: the meter as it stands. UnknownMeter."""
    meter, reads = await market.charges.get(job), market.reads
    token = await reads.denomination(meter.mint)
    shown = job_charges(
        meter,
        job=job,
        address=market.charges.address_of(job),
        decimals=token.decimals,
        dispute_by=dispute_by(meter),
        resolve_by=resolve_by(meter),
        now=await reads.now(),
    )
    session.out.show(shown, lambda console: console.print(charges_table(shown, token.symbol)))
