"""`gpu-market charges show`."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.market import Market
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.render import meter_document, meter_table
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def show(session: Session, job: JobId) -> None:
    """Show a job's usage, its charges and what can still be disputed."""
    await show_meter(session, session.market, parse_address(job))


async def show_meter(session: Session, market: Market, job: Pubkey) -> None:
    """The command's result: the meter as it stands. UnknownMeter."""
    meter, now = await market.charges.get(job), await market.reads.now()
    currencies = await session.currencies()
    document = meter_document(job, meter, now)
    session.out.show(document, lambda console: console.print(meter_table(job, meter, currencies, now)))
