"""`gpu-market logs`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from host_agent.ssh.output import OutputWanted
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.exit_codes import RemoteExit
from market_cli.machine.connection import connected
from market_cli.machine.log_output import LogOutput
from market_cli.machine.reach import reach
from market_cli.session import CliSession

CHUNK = 65_536


@acting
async def logs(
    session: CliSession,
    job: JobId,
    *,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep printing new output until the command ends.")
    ] = False,
    tail: Annotated[
        int | None, typer.Option("--tail", min=0, help="Print only the last lines.", show_default=False)
    ] = None,
) -> None:
    """Print the output of a job's command. Its host keeps it while the job has the machine."""
    machine = await reach(session, job)
    async with (
        connected(machine) as ssh,
        ssh.create_process(subsystem=OutputWanted(follow, tail).subsystem(), encoding=None) as printing,
    ):
        out = LogOutput.to(sys.stdout)
        while data := await printing.stdout.read(CHUNK):
            out.write(data)
        done = await printing.wait()
        if isinstance(done.stderr, bytes):
            LogOutput.to(sys.stderr).write(done.stderr)
    if done.exit_status:
        raise RemoteExit(1)
