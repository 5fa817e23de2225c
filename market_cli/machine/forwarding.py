"""Forwards ports of a job's machine to this computer as long as the job has it, also across restarts of the host's
agent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import NoReturn

from market_cli.errors import MachineLost
from market_cli.machine.connection import connected, forwarded
from market_cli.machine.reach import JobReach, reach_again
from market_cli.session import CliSession


async def keep_forwarded(
    session: CliSession, machine: JobReach, ports: Sequence[tuple[int, int]], show: Callable[[int, int], None]
) -> NoReturn:
    """Forwards pairs of a remote and a local port, and `show`s them once; reconnects whenever the connection is lost.
    MachineLost if the machine cannot be reached at first, or once the job has ended; BadOption for a taken port.
    """
    places = list(ports)
    is_shown = False
    while True:
        try:
            async with AsyncExitStack() as stack:
                ssh = await stack.enter_async_context(connected(machine))
                for number, (there, here) in enumerate(places):
                    places[number] = there, await stack.enter_async_context(forwarded(ssh, there, here))
                    if not is_shown:
                        show(*places[number])
                if is_shown:
                    session.out.note("Reconnected to the machine.")
                is_shown = True
                await ssh.wait_closed()
                raise MachineLost("The machine has ended the connection")
        except MachineLost as lost:
            if not is_shown:
                raise
            machine = await reach_again(session, machine, lost)
