"""`gpu-market ssh`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.exit_codes import RemoteExit
from market_cli.machine.reach import reach, run_ssh
from market_cli.machine.shell import keep_shell
from market_cli.session import CliSession

Command = Annotated[
    list[str] | None, typer.Argument(metavar="[-- COMMAND]", help="Default: a shell.", show_default=False)
]


@acting
async def ssh(session: CliSession, job: JobId, command: Command = None) -> None:
    """Open a shell on a job's machine, or run a command there, with the system's ssh. There are no prompts: the job has
    its own key, and the machine's host key must match the one that its host sealed for you. Exits with the command's
    exit code, or with ssh's own 255. On a terminal it opens another shell if the connection is lost while the job runs.
    """
    machine = await reach(session, job)
    if not command and sys.stdin.isatty():
        raise RemoteExit(await keep_shell(session, machine))
    raise RemoteExit(await run_ssh(machine, [machine.place, *(["--", *command] if command else [])]))
