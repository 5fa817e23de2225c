"""`gpu-market charges settle`."""

from __future__ import annotations

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.show import show_meter
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def settle(session: Session, job: JobId) -> None:
    """Pay the host for undisputed usage. Anyone may do this."""
    address, market = parse_address(job), session.signing
    await market.charges.settle(address)
    await show_meter(session, market, address)
