"""`gpu-market host machines`."""

from __future__ import annotations

from typing import Annotated

import typer

from host_agent.docker.container import RENTAL
from host_agent.docker.engine import Engine
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def machines(
    session: CliSession,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="URL", help="Docker socket.", show_default="docker's")
    ] = None,
) -> None:
    """Show containers on this machine: tenants' jobs and your own background jobs."""
    async with Engine.connect(engine) as connected:
        found = await connected.containers()
    documents = [
        {
            "listing": one.listing,
            "role": one.role,
            "rental": one.labels.get(RENTAL),
            "image": one.image,
            "state": one.state,
            "status": one.status,
        }
        for one in found
    ]
    rows = table("listing", "for", "image", "state")
    for one in found:
        rental = one.labels.get(RENTAL)
        rows.add_row(str(one.listing), f"job {rental}" if rental else one.role, one.image, one.status)
    session.out.rows(documents, rows, none="Nothing is running here.")
