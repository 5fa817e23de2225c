"""Connections to the ports of a container, through its own network."""

from __future__ import annotations

import asyncio

from aiodocker.containers import DockerContainer

from host_agent.docker.failures import engine_errors
from host_agent.errors import MachineFault
from host_agent.web.relay import Streams


async def connect_inside(container: DockerContainer, port: int) -> Streams:
    """A connection to a port. MachineFault if the container has no address, OSError if nothing listens there."""
    with engine_errors():
        shown = await container.show()
    found = [network["IPAddress"] for network in shown["NetworkSettings"]["Networks"].values()]
    if not any(found):
        raise MachineFault("The container is on no network: it does not run")
    return await asyncio.open_connection(next(filter(None, found)), port)
