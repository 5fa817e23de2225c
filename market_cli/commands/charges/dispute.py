"""`gpu-market charges dispute`."""

from __future__ import annotations

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.show import show_meter
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def dispute(session: Session, job: JobId) -> None:
    """Dispute pending usage. What you do not accept before the window closes is dropped."""
    address, market = parse_address(job), session.signing
    await market.charges.dispute(address)
    await show_meter(session, market, address)
