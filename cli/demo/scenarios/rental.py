"""Rents an H100 twice, stops one, lets the other expire under the keeper, and checks every base unit."""

from __future__ import annotations

from dataclasses import asdict

import httpx
from rich.console import Console

from anchor_client.market import Market
from anchor_client.orders import OrderDirectory
from anchor_client.wallet import parse_address
from cli.currencies import Currencies
from cli.output import table
from cli.running import RunningMarket
from cli.session import Session

SHOWN = ("cost", "burned", "refunded", "host_paid", "fees")
"""Amounts of each rental that people are shown."""


async def rental(session: Session, running: RunningMarket) -> bool:
    """Rents twice, stops one, lets the other expire; whether chain, SQL and API agree."""
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
