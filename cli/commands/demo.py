"""`gpu-market demo`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from cli.demo.scenarios import DEFAULT, SCENARIOS
from cli.errors import BadOption, NotLocal
from cli.failures import FAILED
from cli.options import acting
from cli.running import RunningMarket
from cli.session import Session


@acting
async def demo(
    session: Session,
    scenario: Annotated[str, typer.Option("--scenario", help=", ".join(SCENARIOS) + ".")] = DEFAULT,
) -> None:
    """Tell a story on a local market and check every base unit of it on the chain, in SQL and in the API.

    rental: rent an H100 twice, stop one, let the other expire under the keeper; it runs on the market that
    `gpu-market up` serves, whose clock it moves forward by about 90 minutes, or on one of its own.
    govern: hand a market over to its stakers, who vote a parameter and a payment through; always on its own.

    Exits with 1 when chain, SQL and API differ.
    """
    if scenario not in SCENARIOS:
        raise BadOption(f"{scenario!r} is no scenario of the demo", f"Known are: {', '.join(SCENARIOS)}.")
    settings, told = session.settings, SCENARIOS[scenario]
    if settings.local is None and settings.cluster != "localnet":
        raise NotLocal(f"The demo moves the clock and issues test money, which {settings.cluster} does not allow")
    async with _market(session, own=told.needs_own_market) as running:
        agree = await told.tell(session, running)
    if not agree:
        raise typer.Exit(FAILED)


@asynccontextmanager
async def _market(session: Session, *, own: bool) -> AsyncIterator[RunningMarket]:
    """The running local market, or one that lives as long as the demo."""
    if session.settings.local is not None and not own:
        yield session.settings.local
        return
    from cli.stack.layout import Layout  # noqa: PLC0415 other commands need no cluster
    from cli.stack.stack import LocalMarket, Ports  # noqa: PLC0415

    session.out.note("Starting a local market for this demo …")
    with tempfile.TemporaryDirectory(prefix="gpu-market-demo-") as directory:
        async with LocalMarket(Layout(Path(directory)), Ports(rpc=0, api=0)) as market:
            yield market.running
