"""`gpu-market charges close`."""

from __future__ import annotations

from anchor_client.generated.events import MeterClosed
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.rental.job import JobId
from market_cli.session import Session


@acting
async def close(session: Session, job: JobId) -> None:
    """Close the meter of an ended job and refund the rest of its cap. Anyone may do this."""
    address, market = parse_address(job), session.signing
    currencies = await session.currencies()
    meter = await market.charges.get(address)
    if not meter.ended_at and await market.reads.program.account(address) is None:
        await market.charges.end(address)
    sent = await market.charges.close(address)
    closed = next(event for event in sent.events if isinstance(event, MeterClosed))
    document = {
        "job": job,
        "cap": str(closed.cap),
        "paid": str(closed.paid),
        "refunded": str(closed.refunded),
        "tx": str(sent.signature),
    }
    paid, refunded = currencies.say(closed.mint, closed.paid), currencies.say(closed.mint, closed.refunded)
    session.out.show(document, lambda console: console.print(f"{paid} for the host, {refunded} back to the renter."))
