"""`gpu-market indexer backfill`."""

from __future__ import annotations

from typing import Annotated

import typer

from indexer.index.proof.maintenance import backfill as read_again
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings
from market_cli.commands.indexer.database import opened
from market_cli.session import CliSession


@acting
async def backfill(
    session: CliSession,
    settings: IndexSettings,
    since: Annotated[int, typer.Option("--from", metavar="SLOT", help="First slot.", min=0)] = 0,
    until: Annotated[
        int | None, typer.Option("--to", metavar="SLOT", help="Last slot.", min=0, show_default="the newest")
    ] = None,
) -> None:
    """Reread slots and add the missing events, for example from another node (--rpc). Changes nothing else."""
    async with opened(settings) as engine:
        session.out.note("Listing transactions …")
        last, done = await read_again(settings, engine, since, until, told=session.out.note)
    session.out.show(
        {"from": since, "to": last, "transactions": done.transactions, "events": done.events},
        f"Slots {since} to {last}: added {done.events:,} events of {done.transactions:,} transactions.",
    )
