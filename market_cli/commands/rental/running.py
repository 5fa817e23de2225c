"""Renters' commands for a running job."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.events import RefundClaimed
from anchor_client.kinds import ISSUES
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.commands.rental.render import job_table
from market_cli.session import CliSession
from market_cli.units import base_units_given, parse_duration
from market_cli.worth import read_worth


@acting
async def extend(
    session: CliSession,
    job: JobId,
    duration: Annotated[str, typer.Argument(help="Additional time: 1h, 30m, or seconds.")],
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", help="Maximum cost of the extension, in the rental's token.", show_default=False),
    ] = None,
) -> None:
    """Extend a running rental at its original price."""
    address = await session.job(job)
    seconds = parse_duration(duration)
    market = session.signing
    token = await market.reads.denomination((await market.reads.rental(address)).mint)
    most = base_units_given(max_cost, token.decimals)
    await market.rental.extend(address, seconds, max_cost=most)
    extended = await market.jobs.get(address)
    session.out.show(extended, job_table(extended, await read_worth(session)))


@acting
async def stop(
    session: CliSession,
    job: JobId,
    issue: Annotated[
        str | None,
        typer.Option("--issue", help=f"Also report an issue: {', '.join(ISSUES)}.", show_default=False),
    ] = None,
) -> None:
    """Stop a job: pay for the seconds used and refund the rest, in one transaction."""
    address = await session.job(job)
    ended = await session.signing.rental.stop(address, issue=issue)
    session.out.show(ended, job_table(ended, await read_worth(session)))


@acting
async def claim(session: CliSession, job: JobId) -> None:
    """Claim an ended job's unpaid refund. Anyone may do this; the renter is paid."""
    address = await session.job(job)
    market = session.signing
    token = await market.reads.denomination((await market.reads.owing_rental(address)).mint)
    sent = await market.rental.claim_refund(address)
    claimed = sent.event(RefundClaimed)
    said = (await read_worth(session)).say(token, claimed.mint, claimed.amount)
    text = f"Refunded {said} to {claimed.renter}, and the account's rent."
    session.out.sent(
        sent, text, job=str(address), renter=str(claimed.renter), mint=str(claimed.mint), amount=str(claimed.amount)
    )


@acting
async def contest(session: CliSession, job: JobId) -> None:
    """Contest that a job's command had ended: its host loses the holdback; you get the same either way."""
    address = await session.job(job)
    sent = await session.signing.rental.contest_finish(address)
    session.out.sent(sent, "Contested: the holdback goes to the market.", job=str(address))


@acting
async def rate(
    session: CliSession,
    job: JobId,
    rating: Annotated[int, typer.Argument(help="1 (bad) to 5 (good).", min=1, max=5)],
) -> None:
    """Rate the machine of a job, once, while it runs or can be contested."""
    address = await session.job(job)
    sent = await session.signing.rental.rate(address, rating)
    session.out.sent(sent, f"Rated {rating} of 5.", job=str(address), rating=rating)
