"""Commands of `gpu-market charges` for a job's meter."""

from __future__ import annotations

from typing import Annotated

import typer
from solders.pubkey import Pubkey

from anchor_client.generated.events import MeterClosed, UsageReported
from anchor_client.market import Market
from anchor_client.resources.charges import job_charges
from anchor_client.rules.meter import dispute_by, resolve_by
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.commands.charges.render import charges_table
from market_cli.session import CliSession
from market_cli.units import base_units
from market_cli.worth import read_worth


@acting
async def show(session: CliSession, job: JobId) -> None:
    """Show a job's usage, its charges and the disputable part."""
    await _show(session, session.market, await session.job(job))


@acting
async def open_(
    session: CliSession,
    job: JobId,
    cap: Annotated[str, typer.Argument(help="Maximum charges, in the rental's token.")],
    storage_gb: Annotated[
        int, typer.Option("--storage-gb", help="GB of persistent storage.", min=0, max=2**32 - 1)
    ] = 0,
) -> None:
    """Open a meter and escrow its maximum charges; `rent --max-charges` does so with the order."""
    address = await session.job(job)
    market = session.signing
    token = await market.reads.denomination((await market.reads.rental(address)).mint)
    await market.charges.open(address, base_units(cap, token.decimals), storage_gb=storage_gb)
    await _show(session, market, address)


@acting
async def dispute(session: CliSession, job: JobId) -> None:
    """Dispute pending usage. It is dropped unless you accept it before the window closes."""
    address = await session.job(job)
    market = session.signing
    await market.charges.dispute(address)
    await _show(session, market, address)


@acting
async def accept(session: CliSession, job: JobId) -> None:
    """Accept all reported usage, disputed or not, so that it can be paid immediately."""
    address = await session.job(job)
    market = session.signing
    await market.charges.accept(address)
    await _show(session, market, address)


@acting
async def settle(session: CliSession, job: JobId) -> None:
    """Pay the host for undisputed usage. Anyone may do this."""
    address = await session.job(job)
    market = session.signing
    await market.charges.settle(address)
    await _show(session, market, address)


@acting
async def close(session: CliSession, job: JobId) -> None:
    """Close the meter of an ended job and refund the rest of its cap. Anyone may do this.

    After a second window, what a host's own account cannot take becomes a fee.
    """
    address = await session.job(job)
    market = session.signing
    meter = await market.charges.get(address)
    token = await market.reads.denomination(meter.mint)
    sent = await market.charges.close(address)
    closed = sent.event(MeterClosed)
    text = f"{token.say(closed.paid)} for the host, {token.say(closed.refunded)} back to the renter."
    if closed.kept:
        text += f" {token.say(closed.kept)} is a fee: the host's account cannot take it."
    amounts = {name: str(getattr(closed, name)) for name in ("cap", "paid", "refunded", "kept")}
    session.out.sent(sent, text, job=str(address), **amounts)


@acting
async def report(
    session: CliSession,
    job: JobId,
    bandwidth_mb: Annotated[int, typer.Argument(help="Total MB sent since the meter opened.", min=0)],
    storage_gb_hours: Annotated[
        int | None,
        typer.Option("--storage", help="Total GB-hours of storage; default: unchanged.", min=0),
    ] = None,
) -> None:
    """Report a job's total usage. It is paid unless the renter disputes it in time."""
    address = await session.job(job)
    market = session.signing
    meter = await market.charges.get(address)
    token = await market.reads.denomination(meter.mint)
    stored = meter.storage_gb_hours if storage_gb_hours is None else storage_gb_hours
    sent = await market.charges.report(address, bandwidth_mb, stored)
    reported = sent.event(UsageReported)
    session.out.sent(
        sent,
        f"{token.say(reported.added)} added; the renter may dispute it.",
        job=str(address),
        added=str(reported.added),
        pending=str(reported.pending),
        dispute_by=reported.dispute_by,
    )


async def _show(session: CliSession, market: Market, job: Pubkey) -> None:
    """The job's meter. UnknownMeter."""
    meter = await market.charges.get(job)
    reads = market.reads
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
    session.out.show(shown, charges_table(shown, token, await read_worth(session)))
