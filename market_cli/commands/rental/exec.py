"""`gpu-market exec`."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.exit_codes import RemoteExit
from market_cli.machine.reach import reach, run_ssh
from market_cli.session import CliSession


@acting
async def exec_(
    session: CliSession,
    job: JobId,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The program and its arguments.")],
) -> None:
    """Run a program on a job's machine, with its arguments unchanged and without a terminal.

    Exits with the program's exit code, or with ssh's own 255.
    """
    machine = await reach(session, job)
    raise RemoteExit(await run_ssh(machine, ["-T", machine.place, "--", shlex.join(command)]))
