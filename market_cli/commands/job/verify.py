"""`gpu-market job verify`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import JobId, require_http
from market_cli.commands.rental.render import job_table
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.machine.check import NOT_LISTED, MachineFinding, compare
from market_cli.machine.questions import ask
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.worth import read_worth

SAID = {True: "[green]as listed[/]", False: "[red]less[/]", None: "[dim]unknown[/]"}


@acting
async def verify(
    session: CliSession,
    job: JobId,
    download: Annotated[
        str | None,
        typer.Option(
            "--download",
            metavar="URL",
            help="Also measure a ten-second download of this URL; choose a server faster than the listed speed.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare a job's machine with its listing, and measure it over SSH. Exits with 1 if it is below the listing.

    On a terminal it then offers to stop the job and report the machine as not as listed.
    """
    require_http(download)
    address = await session.job(job)
    market = session.signing
    rental = await market.reads.rental(address)
    connection = await market.rental.connection(address)
    if connection is None:
        raise BadOption(f"The host has not accepted {address} yet", "Wait for it: `gpu-market job JOB --watch`.")
    found = compare(await market.reads.listing(rental.listing), await ask(connection, download))
    rows = table("", "listed", "found", "")
    for each in found:
        rows.add_row(each.what, each.listed, theirs(each.found), _said(each))
    is_less = any(each.agrees is False for each in found)
    stop = f"gpu-market stop {address} --issue not-as-listed"
    text = "Nothing is below the listing."
    if is_less:
        text = f"The machine is below its listing. Stop and report it: [bold]{stop}[/]"
    session.out.show(
        {"job": str(address), "as_listed": not is_less, "findings": [asdict(each) for each in found]}, rows, text
    )
    if not is_less:
        return
    if sys.stdin.isatty() and not session.out.as_json and typer.confirm("Stop it and report it now?"):
        ended = await market.rental.stop(address, issue="not-as-listed")
        session.out.show(ended, job_table(ended, await read_worth(session)))
    raise typer.Exit(FAILED)


def _said(finding: MachineFinding) -> str:
    return "" if finding.listed == NOT_LISTED else SAID[finding.agrees]
