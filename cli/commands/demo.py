"""`gpu-market demo`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

import httpx
import typer
from rich.console import Console

from anchor_client.market import Market
from anchor_client.orders import OrderDirectory
from anchor_client.wallet import parse_address
from cli.currencies import Currencies
from cli.errors import NotLocal
from cli.failures import FAILED
from cli.options import acting
from cli.output import table
from cli.running import RunningMarket
from cli.session import Session

SHOWN = ("cost", "burned", "refunded", "host_paid", "fees")
"""Amounts of each rental that people are shown."""


@acting
async def demo(session: Session) -> None:
    """Rent an H100 twice, stop one, let the other expire under the keeper, and check every base unit.

    Runs on the local market that `gpu-market up` serves, whose clock it moves forward by about 90 minutes, or starts
    one of its own for the time being. Exits with 1 when chain, SQL and API differ.
    """
    settings = session.settings
    if settings.local is None and settings.cluster != "localnet":
        raise NotLocal(f"The demo moves the clock and issues test money, which {settings.cluster} does not allow")
    async with _market(session) as running:
        agree = await _tell(session, running)
    if not agree:
        raise typer.Exit(FAILED)


@asynccontextmanager
async def _market(session: Session) -> AsyncIterator[RunningMarket]:
    """The running local market, or one that lives as long as the demo."""
    if session.settings.local is not None:
        yield session.settings.local
        return
    from cli.stack.layout import Layout  # noqa: PLC0415 other commands need no cluster
    from cli.stack.stack import LocalMarket, Ports  # noqa: PLC0415

    session.out.note("No local market runs; starting one for this demo …")
    with tempfile.TemporaryDirectory(prefix="gpu-market-demo-") as directory:
        async with LocalMarket(Layout(Path(directory)), Ports(rpc=0, api=0)) as market:
            yield market.running


async def _tell(session: Session, running: RunningMarket) -> bool:
    """Whether everything agrees."""
    from cli.demo.agreement import Agreement  # noqa: PLC0415 SQL takes a while to import
    from cli.demo.story import Story  # noqa: PLC0415
    from indexer.database import open_database  # noqa: PLC0415

    market = Market.connect(
        running.rpc_url,
        ws_url=running.ws_url,
        tokens={symbol: parse_address(mint) for symbol, mint in running.tokens.items()},
        deliver_order=OrderDirectory(running.orders).deliver,
    )
    engine = open_database(running.database_url)
    async with market, httpx.AsyncClient(base_url=running.api_url) as api:
        currencies = await Currencies.read(market.reads)
        story = Story(market, running, currencies, session.out.note)
        await story.begin()
        jobs = [await story.rent_and_stop(), await story.rent_and_expire()]
        agreement = Agreement(market, story.mint, story.renter, api, engine)
        figures, differences = await agreement.check(jobs, story.started_with, await story.balance())
    engine.dispose()
    document = {
        "jobs": [asdict(own) for own in figures],
        "token": currencies.symbol(story.mint),
        "decimals": currencies.decimals(story.mint),
        "agree": not differences,
        "differences": differences,
    }
    rows = table(None, "", "stopped", "expired", numbers=("stopped", "expired"))
    for name in SHOWN:
        rows.add_row(name.replace("_", " "), *(currencies.say(story.mint, getattr(own, name)) for own in figures))

    def say(console: Console) -> None:
        console.print(rows)
        verdict = "[green]Chain, SQL and API agree to the base unit.[/]"
        console.print(verdict if not differences else "\n".join(["[red]They differ:[/]", *differences]))

    session.out.show(document, say)
    return not differences
