"""`gpu-market doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.deploy.binary import Binary
from anchor_client.deploy.errors import BadProgramFile
from anchor_client.doctor.examine import examine
from anchor_client.doctor.finding import Level, worst
from anchor_client.service.optional import optional
from anchor_client.service.pacing import stop_on_signals, wait_or_timeout
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.deploy.deploying import binary_for
from market_cli.commands.deploy.findings import document_of, rows_of, write_metrics
from market_cli.session import CliSession


@acting
async def doctor(
    session: CliSession,
    watch: Annotated[bool, typer.Option("--watch", help="Repeat until Ctrl-C.")] = False,
    every: Annotated[int, typer.Option("--every", help="Seconds between checks with --watch.", min=1)] = 60,
    keeper: Annotated[
        str | None, typer.Option("--keeper", metavar="WALLET", help="A keeper's wallet, to check its balance.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="FILE", help="Build of the program; default: the committed one.")
    ] = None,
    metrics: Annotated[
        Path | None,
        typer.Option("--metrics", metavar="FILE", help="Write the findings for Prometheus' node exporter."),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="HOST", help="A server, as NAME or NAME:PORT, to check its certificate."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings as well.")] = False,
) -> None:
    """Examine the market: node, program, parameters, mints, prices, vaults, hosts, rentals, keeper, index, certificate.

    Each finding has a remedy. Exits with 1 on a failure, for cron; with --watch after the last check.
    """
    wallet = optional(parse_address, keeper)
    stopping = stop_on_signals()
    while True:
        findings = await examine(
            session.market,
            binary=_binary(session, against),
            api_url=session.settings.api_url,
            keeper=wallet,
            tls_server=certificate,
        )
        if metrics is not None:
            write_metrics(metrics, findings)
        session.out.show(document_of(findings), rows_of(findings))
        if not watch or await wait_or_timeout(stopping, every):
            break
    found = worst(findings)
    if found is Level.FAILURE or (strict and found is Level.WARNING):
        raise typer.Exit(1)


def _binary(session: CliSession, file: Path | None) -> Binary | None:
    """The expected build of the program; None if the committed one does not fit its address."""
    try:
        return binary_for(session.settings.program_id, file)
    except BadProgramFile:
        if file is not None:
            raise
        return None
