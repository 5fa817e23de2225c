"""`gpu-market forward`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.errors import BadOption
from market_cli.machine.connection import HERE
from market_cli.machine.forwarding import keep_forwarded
from market_cli.machine.reach import reach
from market_cli.session import CliSession

LAST_PORT = 65_535


@acting
async def forward(
    session: CliSession,
    job: JobId,
    ports: Annotated[
        list[str],
        typer.Argument(metavar="PORT[:LOCAL]...", help="Port on the machine, optionally with a different local port."),
    ],
) -> None:
    """Forward ports of a job's machine to this computer's loopback address over SSH, until Ctrl-C. The order need not
    name them, and no one else can reach them. A lost connection is restored automatically while the job runs.
    """
    wanted = [_pair(text) for text in ports]
    machine = await reach(session, job)

    def show(there: int, here: int) -> None:
        session.out.show({"job": str(machine.job), "port": there, "local": here}, f"{HERE}:{here}   port {there}")

    await keep_forwarded(session, machine, wanted, show)


def _pair(text: str) -> tuple[int, int]:
    """A remote port and a local port. BadOption."""
    there, _, here = text.partition(":")
    numbers = [int(each) if each.isascii() and each.isdigit() else -1 for each in (there, here or there)]
    if not (0 < numbers[0] <= LAST_PORT and 0 <= numbers[1] <= LAST_PORT):
        raise BadOption(f"{text!r} is not a port", "Write 8888, or 8888:9999 for a different local port.")
    return numbers[0], numbers[1]
