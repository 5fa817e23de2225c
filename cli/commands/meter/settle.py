"""`gpu-market meter settle`."""

from __future__ import annotations

from anchor_client.wallet import parse_address
from cli.commands.job import JobId
from cli.commands.meter.show import show_meter
from cli.options import acting
from cli.session import Session


@acting
async def settle(session: Session, job: JobId) -> None:
    """Pay the host what nobody may dispute any more. Anyone may."""
    address, market = parse_address(job), session.signing
    await market.settle_meter(address)
    await show_meter(session, market, address)
