"""`gpu-market job JOB`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.commands.rental.checkpoint import Checkpoint
from market_cli.commands.rental.job import follow, show_connection, show_job
from market_cli.errors import BadOption
from market_cli.session import CliSession


@acting
async def show(
    session: CliSession,
    job: JobId,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the job until it ends.")] = False,
    on_preempt: Annotated[
        str | None,
        typer.Option(
            "--on-preempt",
            metavar="CMD",
            help="With --watch: command to run on a preemption warning, to save your work.",
            show_default=False,
        ),
    ] = None,
    connection: Annotated[bool, typer.Option("--connection", help="Show how to connect to your machine.")] = False,
) -> None:
    """Show a job: its state, its cost and its payments."""
    address = await session.job(job)
    if on_preempt is not None and not watch:
        raise BadOption("--on-preempt needs --watch", "Add --watch; the command runs while the job is being followed.")
    if watch:
        checkpoint = None
        if on_preempt is not None:
            checkpoint = Checkpoint(on_preempt, session.out.note)
        await follow(session, address, checkpoint)
        return
    if connection:
        await show_connection(session, address)
        return
    await show_job(session, address)
