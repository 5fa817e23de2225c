"""`gpu-market host maintenance`."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

import typer
from solders.pubkey import Pubkey

from anchor_client.amounts import duration
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_host
from anchor_client.market import Market
from anchor_client.rules.listing import rentals_of
from anchor_client.rules.rental import is_running, paid_until
from host_agent.errors import HostConfigurationError
from host_agent.listings.maintenance import Maintenance
from host_agent.listings.offering import Offering
from market_cli.acting import acting
from market_cli.commands.host.arguments import StateDir
from market_cli.errors import BadOption
from market_cli.paths import agent_directory
from market_cli.session import CliSession
from market_cli.structured_logs import narrate
from market_cli.units import moment, parse_duration, parse_moment

LOOK_SECONDS: Final = 20.0
"""Interval of the looks with --watch."""


@acting
async def maintenance(
    session: CliSession,
    listings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LISTING]...", help="Listings of yours; default: all.", show_default=False),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="Begin, such as 2026-12-01T02:00 (UTC).", show_default=False),
    ] = None,
    for_: Annotated[str, typer.Option("--for", metavar="DURATION", help="Time away: 2h, 30m.")] = "2h",
    cancel: Annotated[bool, typer.Option("--cancel", help="Drop the plan, and offer the machines as before.")] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Do it here until the end: the agent has only an operator's key."),
    ] = False,
    state_dir: StateDir = None,
) -> None:
    """Plan maintenance of this machine: no order runs past its start, and afterwards it is offered again automatically.

    The agent with the owner's key shortens the longest rental as the date comes, hides the machine, and restores both.
    """
    folder = agent_directory(state_dir)
    if cancel:
        await _cancel(session, folder, watch=watch)
        return
    if at is None and listings:
        remedy = "Add --at TIME, such as 2026-12-01T02:00 (UTC); without listings and --at the plan is shown."
        raise BadOption(f"--at is missing: {listings[0]} is taken for a listing", remedy)
    if at is None:
        _show(session, Maintenance.read(folder))
        return
    market = session.signing
    owned = await market.reads.listings_of(find_host(market.address, market.program_id)[0])
    named = [await session.listing(each) for each in listings or ()] or list(owned)
    strangers = [each for each in named if each not in owned]
    if strangers or not named:
        raise BadOption(f"Not a listing of yours: {', '.join(map(str, strangers)) or 'there is none'}")
    begin = parse_moment(at)
    now = await market.reads.now()
    if begin <= now:
        raise BadOption(f"{moment(begin)} is over", "Give a later time.")
    plan = Maintenance(named, begin, begin + parse_duration(for_))
    plan.write(folder)
    past = await _running_past(market, {each: owned[each] for each in named}, begin)
    session.out.show(
        document(plan) | {"running_past": {str(job): end for job, end in past.items()}},
        sentence(plan),
        *(f"Job {job} is paid until {moment(end)}, and ends first." for job, end in past.items()),
    )
    if not watch:
        session.out.note("This machine's agent prepares it if it runs with this key; otherwise use --watch.")
    else:
        narrate(session, None)
        await _watch(market, folder)


def document(plan: Maintenance) -> dict[str, object]:
    """A plan as JSON."""
    return {"listings": [str(each) for each in plan.listings], "at": plan.at, "until": plan.until}


def sentence(plan: Maintenance) -> str:
    """A plan in words."""
    return (
        f"Maintenance of {len(plan.listings)} listing(s) from {moment(plan.at)} on, for "
        f"{duration(plan.until - plan.at)}: no order runs past its begin."
    )


def _show(session: CliSession, plan: Maintenance | None) -> None:
    if plan is None:
        session.out.show(None, "None planned.")
    else:
        session.out.show(document(plan), sentence(plan))


async def _cancel(session: CliSession, folder: Path, *, watch: bool) -> None:
    try:
        plan = Maintenance.read(folder)
    except HostConfigurationError:  # it holds no machine back any longer
        cancelled = None
    else:
        if plan is None:
            session.out.show(None, "None planned.")
            return
        cancelled = document(plan)
    Maintenance.remove(folder)
    if watch:
        await _look(session.signing, Offering(session.signing, folder))
    session.out.show({"cancelled": cancelled}, "Cancelled; the machines are offered as before.")


async def _running_past(market: Market, listings: dict[Pubkey, Listing], begin: int) -> dict[Pubkey, int]:
    """Ends of the rentals that are paid past the begin."""
    places = [place for listing in listings.values() for place in rentals_of(listing)]
    found = await market.reads.program.read_known(Rental, places)
    ends = {each: paid_until(rental) for each, rental in found.items() if is_running(rental)}
    return {each: end for each, end in ends.items() if end > begin}


async def _watch(market: Market, folder: Path) -> None:
    offering = Offering(market, folder)
    while (plan := Maintenance.read(folder)) is not None:
        await _look(market, offering, plan.listings)
        await asyncio.sleep(LOOK_SECONDS)


async def _look(market: Market, offering: Offering, listings: Collection[Pubkey] | None = None) -> None:
    """Changes the owner's listings, or those named, as planned."""
    owned = await market.reads.listings_of(find_host(market.address, market.program_id)[0])
    named = {address: listing for address, listing in owned.items() if listings is None or address in listings}
    await offering.look(named, (), await market.reads.now())
