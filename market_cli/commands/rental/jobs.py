"""`gpu-market jobs`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownJob
from anchor_client.generated.pdas import find_rental
from anchor_client.market import Job, Market
from market_cli.acting import acting
from market_cli.commands.arguments import Renter
from market_cli.commands.rental.render import jobs_table, total_cost
from market_cli.job_names import read_names
from market_cli.session import CliSession
from market_cli.worth import read_worth

LATEST = 20


@acting
async def jobs(
    session: CliSession,
    every: Annotated[bool, typer.Option("--all", help=f"Include ended jobs, up to your last {LATEST}.")] = False,
    renter: Renter = None,
) -> None:
    """Show your jobs, newest first: open ones, and ended ones that still owe you a refund."""
    market = session.market
    owner = session.owner(renter)
    found = await (_latest(market, owner) if every else _pending(market, owner))
    worth = await read_worth(session)
    if found:
        session.out.show(found, jobs_table(found, read_names(), worth), total_cost(found, worth))
    else:
        session.out.show(found, "No jobs.")


async def _pending(market: Market, owner: Pubkey) -> list[Job]:
    return [*await market.jobs.list(owner), *await market.jobs.owing(owner)]


async def _latest(market: Market, owner: Pubkey) -> list[Job]:
    """The wallet's last rentals, by addresses derived from its nonces."""
    profile = await market.reads.renter_profile(owner)
    if profile is None:
        return []
    nonces = range(profile.next_nonce - 1, max(-1, profile.next_nonce - 1 - LATEST), -1)
    addresses = [find_rental(owner, nonce, market.program_id)[0] for nonce in nonces]
    found = await asyncio.gather(*(_known(market, address) for address in addresses))
    return [job for job in found if job is not None]


async def _known(market: Market, address: Pubkey) -> Job | None:
    """A rental; None when the node has forgotten its transactions."""
    try:
        return await market.jobs.get(address)
    except UnknownJob:
        return None
