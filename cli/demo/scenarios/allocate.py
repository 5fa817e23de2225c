"""Asks for any A100 near Paris, is matched with the best by the keeper, and holds its credentials within a minute."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from rich.console import Console
from solders.pubkey import Pubkey

from anchor_client.market import Job, MachineWanted, Market
from anchor_client.orders import OrderDirectory, OrderParts
from anchor_client.sealing import Connection
from anchor_client.tokens import MARKET_TOKEN
from anchor_client.wallet import parse_address
from cli.currencies import Currencies
from cli.errors import StartFailed
from cli.output import table
from cli.running import RunningMarket
from cli.session import Session

GPU = "nvidia-a100-sxm4-80gb"
NEAR = "eu-west"
HOURS = 6
MAX_USD = 1_000_000
BUDGET_TOKENS = 1_000
PROMISED_SECONDS = 60.0


async def allocate(session: Session, running: RunningMarket) -> bool:
    """Whether payment to credentials took less than a minute and what was not needed came back."""
    from cli.demo.renter import funded_wallet  # noqa: PLC0415 it needs the cluster's keys

    tell = session.out.note
    market = Market.connect(
        running.rpc_url,
        ws_url=running.ws_url,
        tokens={symbol: parse_address(mint) for symbol, mint in running.tokens.items()},
        deliver_order=OrderDirectory(running.orders).deliver,
    )
    async with market:
        currencies = await Currencies.read(market.reads)
        mint = currencies.symbols.mint(MARKET_TOKEN)
        budget = BUDGET_TOKENS * 10 ** currencies.decimals(mint)
        renter = market.signing_as(await funded_wallet(market, Path(running.data) / "keys", mint, budget))
        tell(f"A new wallet {renter.address} holds {currencies.say(mint, budget)}.")
        wanted = MachineWanted(
            gpu=GPU, duration=HOURS * 3_600, pay=MARKET_TOKEN, max_usd=MAX_USD, spec_hash=bytes(32), near=NEAR
        )
        request = await renter.request(wanted, OrderParts.of(command="nvidia-smi"))
        paid = time.monotonic()
        tell(f"Asks for any A100, near Paris, for {HOURS} hours and up to $1.00 an hour: [bold]{request.id}[/]")
        tell(f"  {currencies.say(mint, request.deposit)} in escrow")
        job = await renter.await_match(request.id)
        if not isinstance(job, Job):
            raise StartFailed(f"Request {request.id} found no machine", "Look at the keeper of this market.")
        found = time.monotonic() - paid
        tell(f"A keeper has found a machine in {job.region} after {found:.1f} s: [bold]{job.id}[/]")
        connection = await _connection(renter, job.id)
        took = time.monotonic() - paid
        ended = await renter.requests.get(request.id)
        stopped = await renter.stop(job.id)
    holds = took < PROMISED_SECONDS and ended.refunded == request.deposit - job.deposit
    document = {
        "request": str(request.id),
        "job": str(job.id),
        "region": job.region,
        "deposit": request.deposit,
        "refunded_at_match": ended.refunded,
        "cost": stopped.cost,
        "seconds_to_match": round(found, 2),
        "seconds_to_credentials": round(took, 2),
        "holds": holds,
    }
    rows = table(None, "", "")
    rows.show_header = False
    rows.add_row("in escrow", currencies.say(mint, request.deposit))
    rows.add_row("back at the match", currencies.say(mint, ended.refunded))
    rows.add_row("machine", f"{job.gpu} in {job.region}, {connection.host}:{connection.port}")
    rows.add_row("payment to credentials", f"{took:.1f} s")

    def say(console: Console) -> None:
        console.print(rows)
        console.print("[green]It holds.[/]" if holds else "[red]It took too long, or the refund is wrong.[/]")

    session.out.show(document, say)
    return holds


async def _connection(renter: Market, job: Pubkey) -> Connection:
    """How to reach the machine, once its host has accepted. StartFailed when that takes too long."""
    try:
        async with asyncio.timeout(PROMISED_SECONDS), renter.jobs.wakeups.of(job) as wakeups:
            async for _ in wakeups:
                connection = await renter.connection(job)
                if connection is not None:
                    return connection
    except TimeoutError:
        pass
    raise StartFailed(f"The host of {job} has not accepted within {PROMISED_SECONDS:.0f} s")
