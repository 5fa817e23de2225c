"""Renting a machine, from command options or a job file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.amounts import duration as say_duration
from anchor_client.kinds import parse_kind
from anchor_client.market import Job, RentalWanted
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.rules.listing import has_charges
from anchor_client.service.optional import optional
from anchor_client.solana.wallet import parse_address
from market_cli.commands.market.from_api import told_by_api
from market_cli.commands.rental import ways
from market_cli.commands.rental.job import follow_until_started, going_on, until_started
from market_cli.commands.rental.render import amount
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED, RemoteExit
from market_cli.ids import is_id
from market_cli.job_names import check_name, keep_name
from market_cli.lazy import load
from market_cli.ordering.rental_options import RentalOptions
from market_cli.session import CliSession
from market_cli.units import base_units_given, parse_amount, parse_duration, parse_score, price
from market_cli.worth import read_worth

if TYPE_CHECKING:
    from anchor_client.orders import Workload
    from market_cli.script import Script


def check(rental: RentalOptions) -> None:
    """Checks the options without reading the market.

    BadOption, BadDuration, BadAmount, BadAddress, UnknownGpu, AmbiguousGpu, UnknownRegion, UnknownKind.
    """
    _check_together(rental)
    parse_duration(rental.duration)
    parse_kind(rental.kind)
    if rental.name is not None:
        check_name(rental.name)
    if rental.gpu:
        match_gpu(rental.gpu)
    if rental.region:
        find_region(rental.region)
    parse_score(rental.min_score)
    for dollars in filter(None, (rental.bid, rental.max_price)):
        price(dollars)
    for tokens in filter(None, (rental.max_cost, rental.max_charges)):
        parse_amount(tokens)
    if rental.listing is not None and not is_id(rental.listing):
        parse_address(rental.listing)


def _check_together(rental: RentalOptions) -> None:
    """Refuses options that need one another or exclude one another. BadOption."""
    if rental.listing is None and not rental.are_given:
        remedy = "Choose a model with --gpu, or say what the machine needs: --min-vram 80."
        raise BadOption("Neither --gpu nor --listing nor a need is given", f"{remedy} `gpu-market gpus` lists models.")
    if rental.bid is not None and rental.kind != "spot":
        remedy = "Add --kind spot; other kinds have a fixed price."
        raise BadOption(f"--bid cannot be used with --kind {rental.kind}", remedy)
    if rental.until_exit and rental.kind == "reserved":
        remedy = "Leave one out: the discount is for the whole term."
        raise BadOption("--until-exit cannot be used with --kind reserved", remedy)
    if rental.storage_gb and rental.max_charges is None:
        raise BadOption("--storage-gb needs --max-charges", "Add --max-charges to cap storage charges.")
    if rental.respawn and rental.max_price is None:
        raise BadOption("--respawn needs --max-price", "Add --max-price, the maximum price of another machine.")
    if rental.fetch is not None and rental.script is None:
        raise BadOption("--fetch needs --script", "Copy with `gpu-market cp JOB:PATH .`, or add --script.")
    if rental.script is not None and rental.respawn:
        remedy = "Omit one: a script is uploaded to one machine only."
        raise BadOption("--script cannot be used with --respawn", remedy)


def scripted(rental: RentalOptions, command: str | None) -> Script | None:
    """The script to run. BadOption."""
    if rental.script is None:
        return None
    script: Script = load("market_cli.script:Script").of(rental.script, command, rental.fetch)
    return script


def _wanted(
    rental: RentalOptions, decimals: int, listing: Pubkey | None, among: frozenset[Pubkey] | None
) -> RentalWanted:
    """The same request for the client, with the token's decimals and the listings that meet indexed needs."""
    return RentalWanted(
        duration=parse_duration(rental.duration),
        pay=rental.pay,
        gpu=rental.gpu,
        region=rental.region,
        count=rental.gpus,
        min_vram_gb=rental.min_vram,
        min_score_bps=parse_score(rental.min_score),
        among=among,
        listing=listing,
        kind=rental.kind,
        bid_usd=optional(price, rental.bid) or 0,
        max_usd=optional(price, rental.max_price),
        max_cost=base_units_given(rental.max_cost, decimals),
        max_charges=base_units_given(rental.max_charges, decimals) or 0,
        storage_gb=rental.storage_gb,
        until_exit=rental.until_exit,
    )


async def show_quote(session: CliSession, rental: RentalOptions) -> None:
    """Prints what the rental costs by kind and token."""
    check(rental)
    await load("market_cli.commands.rental.ways:quote")(session, await _asked(session, rental))


async def _asked(session: CliSession, rental: RentalOptions) -> RentalWanted:
    """The rental as the client is asked for it, with what only the market knows."""
    listing = None if rental.listing is None else await session.listing(rental.listing)
    among = frozenset(await told_by_api(session, rental.indexed)) if rental.indexed else None
    return _wanted(rental, (await session.payment_mint(rental.pay)).decimals, listing, among)


async def place(
    session: CliSession, rental: RentalOptions, workload: Workload | None, *, or_least: bool = False
) -> Job:
    """Rents, prints the rental, and follows it as requested. Without a workload the default one runs; with `or_least`
    the time is the shortest that is taken, if that is longer. Returns the rental, of a respawned job the last.
    """
    check(rental)
    market = session.ordering
    wanted = replace(await _asked(session, rental), or_least=or_least)
    workload = workload or load("anchor_client.orders:Workload")()
    if rental.respawn:
        last: Job = await load("market_cli.commands.rental.respawning:respawn")(session, rental, wanted, workload)
        return last
    script = scripted(rental, workload.command)
    if script is not None:
        workload = script.workload(workload, until_exit=rental.until_exit)
    try:
        rented = await market.rental.open(wanted, workload, before=partial(ways.tell_cheaper, session))
    except asyncio.CancelledError:
        session.out.warn("The order may already have been sent: check `gpu-market jobs`.")
        raise
    await tell(session, rental, rented)
    with going_on(session, rental.name or rented.id):
        if script is not None:
            await _run(session, rental, rented, script)
        elif rental.wait:
            await follow_until_started(session, rented.id)
    return rented


async def _run(session: CliSession, rental: RentalOptions, rented: Job, script: Script) -> None:
    """Runs a script on the machine. Exits with its exit code, or with FAILED if it never ended."""
    await until_started(session, rented.id)
    stay = rental.wait or rental.fetch is not None
    run_script = load("market_cli.script:run_script")
    code: int | None = await run_script(session, rented.id, script, stay=stay, until_exit=rental.until_exit)
    if stay and code != 0:
        raise RemoteExit(FAILED if code is None else code)


async def tell(session: CliSession, rental: RentalOptions, rented: Job) -> None:
    """Prints the rental, and saves its name."""
    if rental.name is not None:
        keep_name(rental.name, rented.id)
    worth = (await read_worth(session)).beside(rented.mint, rented.deposit)
    session.out.show(
        rented,
        f"[bold]{rented.id}[/]  {rented.status.value}",
        f"{rented.gpu} in {rented.region} for {say_duration(rented.duration)}: "
        f"{amount(rented, rented.deposit)}{worth} in escrow, {amount(rented, rented.subsidy)} of subsidy",
        f"Follow it: [bold]gpu-market job {rental.name or rented.id} --watch[/]",
    )
    if rental.max_charges is not None and not has_charges(await session.market.reads.listing(rented.listing)):
        session.out.warn("The machine has no charges, so nothing is escrowed for them and --max-charges has no effect.")
