"""Renting one machine after another for the same job."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import typer

from anchor_client.errors import GpuMarketError
from anchor_client.market import Job, JobState, JobStatus, RentalWanted
from anchor_client.market.rental.respawn import Respawn
from anchor_client.orders import Workload
from market_cli.commands.rental.job import print_status, show_ended
from market_cli.commands.rental.renting import tell
from market_cli.exit_codes import FAILED
from market_cli.lazy import load
from market_cli.logs import configure_logs
from market_cli.ordering.rental_options import RentalOptions
from market_cli.session import CliSession

ATTEMPTS = 10
"""Maximum number of rentals of a respawned job."""


async def respawn(session: CliSession, rental: RentalOptions, wanted: RentalWanted, workload: Workload) -> Job:
    """Follows successive rentals to the end of the last, and moves the workspace from each to the next. Exits with
    FAILED unless the last completed. On an interrupt, it warns that the rental continues.
    """
    configure_logs(verbose=session.flags.verbose)  # what respawns logs by structlog
    last: Job | None = None
    opened = load("market_cli.machine.moves:moves")(session)
    run = Respawn(session.ordering.session).run(wanted, workload, attempts=ATTEMPTS)
    try:
        async with opened as moves, aclosing(run) as happenings:
            async for happened in happenings:
                if isinstance(happened, GpuMarketError):
                    session.out.warn(f"{happened.message}: retrying until one is available. {happened.remedy}")
                    continue
                if isinstance(happened, JobStatus):
                    print_status(session, happened)
                elif happened.status.is_final:
                    last = happened
                    await show_ended(session, happened)
                else:
                    last = happened
                    await tell(session, rental, happened)
                await moves.see(happened)
    except asyncio.CancelledError:
        if last is not None and not last.status.is_final:
            called = rental.name or last.id
            session.out.warn(
                f"{called} continues, but is not reordered if its machine is lost: `gpu-market stop {called}`"
            )
        raise
    if last is None or last.status is not JobState.COMPLETED or last.exit_code:
        raise typer.Exit(FAILED)
    return last
