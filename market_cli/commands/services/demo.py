"""`gpu-market demo`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.wallet import parse_address
from anchor_client.symbols import MARKET_TOKEN
from indexer.store.database import open_database
from local_market.demo.agreement import Agreement
from local_market.demo.governance import governance
from local_market.demo.scenarios import SCENARIOS
from local_market.demo.stage import Stage
from local_market.errors import NotLocal
from local_market.running import RunningMarket
from local_market.stack.layout import Layout
from local_market.stack.stack import LocalMarket, Ports
from market_cli.acting import acting
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.output import Json, table
from market_cli.session import CliSession
from market_cli.settings.cluster import CLUSTERS

if TYPE_CHECKING:
    from local_market.demo.figures import DemoFigures
    from local_market.demo.scenarios import Scenario

SHOWN = ("cost", "burned", "refunded", "host_paid", "fees")
"""The amounts shown for each rental."""
GOVERNANCE = "governance"
ALONE = (GOVERNANCE, "offline")
"""Scenarios for a separate market only: irreversible, or a region's only host falls silent."""


@acting
async def demo(
    session: CliSession,
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario",
            help="rental: one stopped, one expired; request: matched by a keeper; spot: two holders displaced; "
            "staking: lower fees and rewards; charges: metered traffic; offline: a silent host; "
            "governance: a vote by stakers.",
        ),
    ] = "rental",
    here: Annotated[
        bool,
        typer.Option(
            "--here",
            help="Use the running `gpu-market up`. Its clock moves forward by an hour or two, for every job on it.",
        ),
    ] = False,
) -> None:
    """Run a scenario on a separate local market and check every base unit. The market is temporary and leaves running
    ones untouched, unless --here is given. Exits with 1 if chain, SQL and API differ.
    """

    names = (*SCENARIOS, GOVERNANCE)
    if scenario not in names:
        raise BadOption(f"There is no scenario {scenario!r}", f"Choose one of {', '.join(names)}.")
    settings = session.settings
    if settings.local is None and settings.rpc_url != CLUSTERS["localnet"]:
        raise NotLocal("Only a local market can run the demo: it moves the clock and mints test tokens")
    if here and scenario in ALONE:
        raise BadOption(f"The scenario {scenario} runs only on a separate market", "Omit --here.")
    async with _market(session, here=here) as running:
        if scenario == GOVERNANCE:
            document, differences = await governance(running, session.out.note)
            shown: list[RenderableType] = ["[green]Both proposals took effect, and chain and API agree.[/]"]
        else:
            document, differences, rows = await _tell(session, running, SCENARIOS[scenario])
            shown = [rows, "[green]Chain, SQL and API agree to the base unit.[/]"]
    if differences:
        shown[-1:] = ["[red]They differ:[/]", *differences]
    session.out.show({**document, "agree": not differences, "differences": differences}, *shown)
    if differences:
        raise typer.Exit(FAILED)


@asynccontextmanager
async def _market(session: CliSession, *, here: bool) -> AsyncIterator[RunningMarket]:
    """A temporary local market, or with `here` the running one. NotLocal if none runs."""
    if here:
        if session.settings.local is None:
            raise NotLocal("No local market is running here")
        session.out.note("Using the running market: its clock moves forward, which ends jobs with less time left.")
        yield session.settings.local
        return

    session.out.note("Starting a temporary local market for the demo; nothing else is affected …")
    with tempfile.TemporaryDirectory(prefix="gpu-market-demo-") as directory:
        async with LocalMarket(Layout(Path(directory)), Ports(rpc=0, api=0), say=session.out.note) as market:
            yield market.running


async def _tell(
    session: CliSession, running: RunningMarket, scenario: Scenario
) -> tuple[dict[str, Json], list[str], Table]:
    """Costs of the rentals, and differences between chain, SQL and API."""
    post = SealedOrderApi(running.api_url)
    market = Market.connect(
        running.rpc_url,
        ws_url=running.ws_url,
        tokens={symbol: parse_address(mint) for symbol, mint in running.tokens.items()},
        deliver_order=post.deliver,
    )
    mint = parse_address(running.tokens[MARKET_TOKEN])
    engine = open_database(running.database_url)
    async with market, post, HttpClient(running.api_url) as api:
        token = await market.reads.denomination(mint)
        stage = Stage(market, running, mint, token, session.out.note)
        figures: dict[str, DemoFigures] = {}
        differences: list[str] = []
        for part in await scenario(stage):
            agreement = Agreement(market, mint, part.renter, api, engine)
            kept = part.started_with - part.charged
            own, found = await agreement.check(list(part.jobs.values()), kept, await stage.balance(part))
            figures |= dict(zip(part.jobs, own, strict=True))
            differences += found
    engine.dispose()
    document = {
        "jobs": [asdict(own) for own in figures.values()],
        "token": token.symbol,
        "decimals": token.decimals,
        **stage.measured,
    }
    rows = table("", *figures, numbers=tuple(figures))
    for name in SHOWN:
        rows.add_row(name.replace("_", " "), *(token.say(getattr(own, name)) for own in figures.values()))
    return document, differences, rows
