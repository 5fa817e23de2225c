"""`gpu-market charges accept`."""

from __future__ import annotations

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.charges.show import show_meter
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def accept(session: Session, job: JobId) -> None:
    """Accept all reported usage, disputed or not, so that it can be paid at once."""
    address, market = parse_address(job), session.signing
    await market.charges.accept(address)
    await show_meter(session, market, address)
