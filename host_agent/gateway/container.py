"""A tenant's container, as its gateway reaches it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import aiohttp
from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer

from host_agent.docker.failures import NOT_THERE
from host_agent.docker.ports import connect_inside
from host_agent.docker.shell import ContainerShell
from host_agent.gateway.documents import Opening
from host_agent.gateway.lifetime import LOOK_SECONDS
from host_agent.notices import greeting
from host_agent.ssh import Inside
from host_agent.web import Streams


class TenantContainer(Protocol):
    """A tenant's container, as a gateway needs it."""

    inside: Inside

    async def connect(self, port: int) -> Streams:
        """Connects to a port of it. OSError, MachineFault."""

    async def is_gone(self) -> bool:
        """True if it has been removed; False also while that cannot be told."""


Reach = Callable[[Opening, Callable[[], str | None]], AbstractAsyncContextManager[TenantContainer]]
"""Reaches the container of an opening; the function returns the reason for refusing processes in it, or nothing."""


class EngineContainer:
    """A container of a Docker engine. Looks have a connection of their own, which sessions cannot use up."""

    def __init__(self, sessions: DockerContainer, looks: DockerContainer, inside: Inside) -> None:
        self.inside = inside
        self._sessions = sessions
        self._looks = looks

    async def connect(self, port: int) -> Streams:
        """Connects to a port. OSError, MachineFault."""
        return await connect_inside(self._sessions, port)

    async def is_gone(self) -> bool:
        """True if the engine does not know it; one that hangs holds nobody up."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._looks.show()
        except DockerError as error:
            return error.status == NOT_THERE
        except (aiohttp.ClientError, OSError):
            return False
        return False


@asynccontextmanager
async def reach(opening: Opening, closed: Callable[[], str | None]) -> AsyncIterator[EngineContainer]:
    """The container of an opening, while the context lasts."""
    number = opening.place.container
    async with Docker(opening.engine) as sessions, Docker(opening.engine) as looks:
        container = sessions.containers.container(number)
        inside = ContainerShell(container, closed, lambda: _greeting(opening))
        yield EngineContainer(container, looks.containers.container(number), inside)


def _greeting(opening: Opening) -> bytes:
    return b"" if opening.notice is None else greeting(Path(opening.notice))
