"""`gpu-market run`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.orders import Workload
from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.commands.rental.renting import check as check_options
from market_cli.commands.rental.renting import place, scripted
from market_cli.completion import complete_free_gpu
from market_cli.ordering.job_file import JobFile, read_job_file
from market_cli.ordering.job_keys import KEYS
from market_cli.ordering.order_options import OrderOptions
from market_cli.ordering.orders import order_parts
from market_cli.ordering.rental_options import RentalOptions
from market_cli.session import CliSession


@acting
async def run(
    session: CliSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=f"Job file in YAML. Its keys: {KEYS}.")],
    *,
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu", help="GPU model id; overrides the file's.", autocompletion=complete_free_gpu, show_default=False
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Local name for the job; overrides the file's.", show_default=False)
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the machine is running.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only check the file; order nothing.")] = False,
) -> None:
    """Rent a machine as described in a job file. Each key is the option of `gpu-market rent` with that name."""
    job = read_job_file(file)
    changed = {"gpu": gpu, "name": name, "wait": wait or None}
    job = job.model_copy(update={key: value for key, value in changed.items() if value is not None})
    rental = RentalOptions(**{field.name: getattr(job, field.name) for field in fields(RentalOptions)})
    check_options(rental)
    workload = workload_of(job)
    if check:
        scripted(rental, workload.command)
        session.out.show({"file": str(file), "valid": True}, f"{file} is valid; nothing was ordered.")
        return
    await place(session, rental, workload)


def _assignments(variables: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in variables.items()]


def workload_of(job: JobFile) -> Workload:
    """The order of a job file. InvalidOrder, TemplateMissing, BadOption, BadJobFile."""
    return order_parts(
        OrderOptions(
            template=job.template,
            image=job.image,
            command=job.command,
            port=optional(list, job.ports),
            env=optional(_assignments, job.env),
            env_file=job.env_file,
            ssh_key=job.ssh_key,
            jupyter_token=job.jupyter_token,
            keep_workspace=job.keep_workspace,
            checkpoint=job.checkpoint,
            notebook=job.notebook,
        )
    )
