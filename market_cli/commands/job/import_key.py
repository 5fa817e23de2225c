"""`gpu-market job import-key`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from anchor_client.sealing import SealKey
from market_cli.acting import acting
from market_cli.completion import complete_job
from market_cli.errors import BadOption
from market_cli.session import CliSession

SUFFIX: Final = ".order.key"
"""Ending of the file that the dashboard saves, after the job's id."""


@acting
async def import_key(
    session: CliSession,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Order key, as the dashboard's page of the job saves it.")
    ],
    job: Annotated[
        str | None,
        typer.Option(
            "--job",
            help="Job of this key; default: the one that the file is named after.",
            autocompletion=complete_job,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Use a job here that was ordered elsewhere, as in a browser: its key opens the connection to its machine."""
    if job is None and not file.name.endswith(SUFFIX):
        raise BadOption(f"{file.name} does not say which job its key is of", "Name the job with --job.")
    key = SealKey.load(file)
    address = await session.job(job or file.name.removesuffix(SUFFIX))
    kept = await session.signing.rental.import_key(address, key)
    if kept is None:
        raise BadOption(f"The host has not accepted {address} yet", "Wait for it: `gpu-market job JOB --watch`.")
    session.out.show(
        {"job": str(address), "imported": kept},
        f"The key of {address} is kept here." if kept else f"The key of {address} was here already.",
    )
