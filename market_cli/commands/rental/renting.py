"""Renting a machine, from command options or a job file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.amounts import duration as say_duration
from anchor_client.kinds import parse_kind
from anchor_client.market import Job, RentalWanted
from anchor_client.rules.catalog import find_gpu, find_region
from anchor_client.rules.listing import has_charges
from anchor_client.solana.wallet import parse_address
from anchor_client.symbols import MARKET_TOKEN
from market_cli.commands.rental.job import follow_until_started, going_on, until_started
from market_cli.commands.rental.render import amount
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED, RemoteExit
from market_cli.ids import is_id
from market_cli.job_names import check_name, keep_name
from market_cli.lazy import load
from market_cli.session import Session
from market_cli.units import base_units, micro_usd, parse_amount, parse_duration

if TYPE_CHECKING:
    from anchor_client.orders import Workload
    from market_cli.script import Script


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The requested rental, as described by the options."""

    duration: str
    gpu: str | None = None
    listing: str | None = None
    region: str | None = None
    kind: str = "on-demand"
    bid: str | None = None
    pay: str = MARKET_TOKEN
    max_price: str | None = None
    max_cost: str | None = None
    max_charges: str | None = None
    storage_gb: int = 0
    name: str | None = None
    until_exit: bool = False
    respawn: bool = False
    wait: bool = False
    script: Path | None = None
    fetch: str | None = None

    def check(self) -> None:
        """Checks the options without reading the market.

        BadOption, BadDuration, BadAmount, BadAddress, UnknownGpu, UnknownRegion, UnknownKind.
        """
        if self.gpu is None and self.listing is None:
            raise BadOption("Neither --gpu nor --listing is given", "Choose a model; `gpu-market gpus` lists them.")
        if self.bid is not None and self.kind != "spot":
            remedy = "Add --kind spot; other kinds have a fixed price."
            raise BadOption(f"--bid cannot be used with --kind {self.kind}", remedy)
        if self.until_exit and self.kind == "reserved":
            remedy = "Leave one out: the discount is for the whole term."
            raise BadOption("--until-exit cannot be used with --kind reserved", remedy)
        if self.storage_gb and self.max_charges is None:
            raise BadOption("--storage-gb needs --max-charges", "Add --max-charges to cap storage charges.")
        if self.respawn and self.max_price is None:
            raise BadOption("--respawn needs --max-price", "Add --max-price, the maximum price of another machine.")
        if self.fetch is not None and self.script is None:
            raise BadOption("--fetch needs --script", "Copy with `gpu-market cp JOB:PATH .`, or add --script.")
        if self.script is not None and self.respawn:
            remedy = "Omit one: a script is uploaded to one machine only."
            raise BadOption("--script cannot be used with --respawn", remedy)
        if self.name is not None:
            check_name(self.name)
        parse_duration(self.duration)
        parse_kind(self.kind)
        _ = self.gpu and find_gpu(self.gpu)
        _ = self.region and find_region(self.region)
        for price in (self.bid, self.max_price):
            _ = price and micro_usd(price)
        for amount_of_token in (self.max_cost, self.max_charges):
            _ = amount_of_token and parse_amount(amount_of_token)
        if self.listing is not None and not is_id(self.listing):
            parse_address(self.listing)

    def scripted(self, command: str | None) -> Script | None:
        """The script to run. BadOption."""
        if self.script is None:
            return None
        script: Script = load("market_cli.script:Script").of(self.script, command, self.fetch)
        return script

    def wanted(self, decimals: int, listing: Pubkey | None) -> RentalWanted:
        """The same request for the client, with the token's decimals. BadAmount."""
        return RentalWanted(
            duration=parse_duration(self.duration),
            pay=self.pay,
            gpu=self.gpu,
            region=self.region,
            listing=listing,
            kind=self.kind,
            bid_usd=micro_usd(self.bid) if self.bid is not None else 0,
            max_usd=micro_usd(self.max_price) if self.max_price is not None else None,
            max_cost=base_units(self.max_cost, decimals) if self.max_cost is not None else None,
            max_charges=base_units(self.max_charges, decimals) if self.max_charges is not None else 0,
            storage_gb=self.storage_gb,
            until_exit=self.until_exit,
        )


async def place(session: Session, wish: Wish, workload: Workload | None) -> None:
    """Rents, prints the rental, and follows it as requested. Without a workload the default one runs."""
    wish.check()
    market = session.ordering
    listing = None if wish.listing is None else await session.listing(wish.listing)
    wanted = wish.wanted((await session.payment_mint(wish.pay)).decimals, listing)
    workload = workload or load("anchor_client.orders:Workload")()
    if wish.respawn:
        await load("market_cli.commands.rental.respawning:respawn")(session, wish, wanted, workload)
        return
    script = wish.scripted(workload.command)
    if script is not None:
        workload = script.workload(workload, until_exit=wish.until_exit)
    try:
        rented = await market.rental.open(wanted, workload)
    except asyncio.CancelledError:
        session.out.warn("The order may already have been sent: check `gpu-market jobs`.")
        raise
    await tell(session, wish, rented)
    with going_on(session, wish.name or rented.id):
        if script is not None:
            await _run(session, wish, rented, script)
        elif wish.wait:
            await follow_until_started(session, rented.id)


async def _run(session: Session, wish: Wish, rented: Job, script: Script) -> None:
    """Runs a script on the machine. Exits with its exit code, or with FAILED if it never ended."""
    await until_started(session, rented.id)
    stay = wish.wait or wish.fetch is not None
    run_script = load("market_cli.script:run_script")
    code: int | None = await run_script(session, rented.id, script, stay=stay, until_exit=wish.until_exit)
    if stay and code != 0:
        raise RemoteExit(FAILED if code is None else code)


async def tell(session: Session, wish: Wish, rented: Job) -> None:
    """Prints the rental, and saves its name."""
    if wish.name is not None:
        keep_name(wish.name, rented.id)
    session.out.show(
        rented,
        f"[bold]{rented.id}[/]  {rented.status.value}",
        f"{rented.gpu} in {rented.region} for {say_duration(rented.duration)}: "
        f"{amount(rented, rented.deposit)} in escrow, {amount(rented, rented.subsidy)} of subsidy",
        f"Follow it: [bold]gpu-market job {wish.name or rented.id} --watch[/]",
    )
    if wish.max_charges is not None and not has_charges(await session.market.reads.listing(rented.listing)):
        session.out.warn("The machine has no charges, so nothing is escrowed for them and --max-charges has no effect.")
