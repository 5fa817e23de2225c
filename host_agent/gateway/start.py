"""Starts of a gateway: with new sockets, or with those of an earlier process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from host_agent.access import TenantPorts, TenantSockets
from host_agent.errors import MachineFault
from host_agent.gateway.container import Reach
from host_agent.gateway.control import ENDING, ControlSocket, short_path
from host_agent.gateway.documents import MOST_BYTES, HandOver, Opening, Standing, Taken, TenantPlace, encode
from host_agent.gateway.process import Gateway
from host_agent.network.doors import raise_descriptor_limit
from host_agent.ssh import server
from host_agent.web import terminal

MOST_DESCRIPTORS: Final = 16
"""More than a machine has ports."""
SECONDS: Final = 30.0
"""Time for the earlier process to answer."""


async def begun(directory: Path, listing: str, given: bytes, reach: Reach, serving: Callable[[], None]) -> None:
    """Serves an opening as JSON, until its tenancy ends. MachineFault if a port is taken."""
    opening = msgspec.json.decode(given, type=Opening)
    sockets = TenantSockets.bound(ports_of(opening.place))
    control = ControlSocket(directory, listing)

    def serves() -> None:
        control.be_current()
        serving()

    await _run(opening, sockets, control, reach, serves)


async def taken_over(directory: Path, listing: str, reach: Reach, serving: Callable[[], None]) -> None:
    """Serves in place of the current process, which keeps its connections. MachineFault without one."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as earlier:
        earlier.settimeout(SECONDS)
        try:
            with short_path(directory, f"{listing}{ENDING}") as path:
                earlier.connect(path)
            earlier.sendall(encode(HandOver()))
            said, descriptors, *_ = socket.recv_fds(earlier, MOST_BYTES, MOST_DESCRIPTORS)
            opening = msgspec.json.decode(said, type=Opening)
        except (OSError, msgspec.MsgspecError) as error:
            raise MachineFault(f"The gateway of {listing} hands nothing over: {error}", "It keeps serving.") from error
        sockets = TenantSockets.taken_over(descriptors, ports_of(opening.place))
        control = ControlSocket(directory, listing)

        def serves() -> None:
            # The other process is quick: its answer is awaited without leaving connections waiting.
            earlier.sendall(encode(Taken()))
            msgspec.json.decode(earlier.recv(MOST_BYTES), type=Standing)
            control.be_current()
            loop.call_soon(serving)

        await _run(opening, sockets, control, reach, serves)


async def _run(
    opening: Opening, sockets: TenantSockets, control: ControlSocket, reach: Reach, serving: Callable[[], None]
) -> None:
    raise_descriptor_limit()
    server.STRANGERS.most = terminal.STRANGERS.most = opening.strangers
    try:
        await Gateway(opening, sockets, control).run(reach, serving)
    finally:
        await control.close()


def ports_of(place: TenantPlace) -> TenantPorts:
    """The machine's ports for a place."""
    return TenantPorts(place.bind, place.ssh_port, place.terminal_port, place.https)
