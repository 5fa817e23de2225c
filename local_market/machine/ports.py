"""The TCP ports of one tenancy, on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Self

import structlog

from host_agent.errors import MachineFault
from local_market.stack.ports import LOOPBACK

if TYPE_CHECKING:
    from host_agent.web import Connect

log = structlog.get_logger(__name__)


class TcpPorts:
    """Each port of the order, relayed byte by byte."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.Task[None]] = set()

    @classmethod
    async def listening(cls, ports: Mapping[int, int], connect: Connect) -> Self:
        """Listens on the machine's port for each of the tenant's. MachineFault if one is taken."""
        made = cls(connect)
        try:
            for port, public in ports.items():
                made._servers.append(await asyncio.start_server(partial(made._accept, port), LOOPBACK, public))
        except OSError as error:
            await made.close()
            raise MachineFault(f"A port of the order cannot be listened on: {error.strerror}") from error
        return made

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        for server in self._servers:
            server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._relay(port, reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _relay(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from host_agent.web.relay import join  # noqa: PLC0415 - with the first tenant

        try:
            await join((reader, writer), await self._connect(port))
        except (OSError, MachineFault) as error:
            log.debug("port_silent", port=port, error=str(error))
        finally:
            writer.transport.abort()
