"""`gpu-market demo`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from cli.demo.scenarios import DEFAULT, SCENARIOS, find_scenario
from cli.errors import NotLocal
from cli.failures import FAILED
from cli.options import acting
from cli.running import RunningMarket
from cli.session import Session


@acting
async def demo(
    session: Session,
    scenario: Annotated[str, typer.Option("--scenario", help=f"What to show: {', '.join(SCENARIOS)}.")] = DEFAULT,
) -> None:
    """Show the market at work, by default: rent an H100 twice, stop one, let the other expire, check every base unit.

    Runs on the local market that `gpu-market up` serves, whose clock it may move forward, or starts one of its own for
    the time being. Exits with 1 when what it shows does not hold.
    """
    story = find_scenario(scenario)
    settings = session.settings
    if settings.local is None and settings.cluster != "localnet":
        raise NotLocal(f"The demo moves the clock and issues test money, which {settings.cluster} does not allow")
    async with _market(session) as running:
        holds = await story(session, running)
    if not holds:
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
