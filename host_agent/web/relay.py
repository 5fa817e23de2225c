"""A port of the machine that speaks TLS, relayed byte by byte to a port of the container.

Nothing is parsed and no header is rewritten: the container gets the browser's own request, with its Host and Origin,
and WebSockets need no special handling. It does not get the browser's address.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Self

import structlog

from host_agent.errors import MachineFault
from host_agent.network.doors import GuardedSocket, bound

PROTOCOL: Final = "HTTPS"
CHUNK: Final = 65_536
MOST_CONNECTIONS: Final = 256
"""Maximum connections of one port, half of them from one address; further ones are closed immediately."""
CONNECT_SECONDS: Final = 10.0
HANDSHAKE_SECONDS: Final = 10.0
SHUTDOWN_SECONDS: Final = 2.0
SILENT: Final = "Nothing answers at this port of the machine: its program may not have started yet.\n"
UNREACHED: Final = (
    "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\n"
    f"Content-Length: {len(SILENT)}\r\nConnection: close\r\n\r\n{SILENT}"
).encode()
"""Response if the container cannot be reached: the order declares the port as HTTP."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[int], Awaitable[Streams]]
"""Connects to a port of the container. OSError, MachineFault."""

log = structlog.get_logger(__name__)


class TlsRelay:
    """One port; `close` ends its connections."""

    def __init__(self, connect: Connect, port: int) -> None:
        self._connect = connect
        self._port = port
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @classmethod
    async def listening(cls, context: ssl.SSLContext, bind: str, public: int, connect: Connect, port: int) -> Self:
        """Relays `public` of the machine to `port` of the container. MachineFault when it is taken."""
        return await cls.serving(context, bound(PROTOCOL, bind, public, MOST_CONNECTIONS), connect, port)

    @classmethod
    async def serving(cls, context: ssl.SSLContext, listener: GuardedSocket, connect: Connect, port: int) -> Self:
        """Relays a socket, which is its own from now on, to `port` of the container."""
        relay = cls(connect, port)
        relay._server = await asyncio.start_server(
            relay._accept,
            sock=listener,
            ssl=context,
            ssl_handshake_timeout=HANDSHAKE_SECONDS,
            ssl_shutdown_timeout=SHUTDOWN_SECONDS,
        )
        return relay

    def stop_listening(self) -> None:
        """Leaves new clients to another server at the same socket; connections stay."""
        if self._server is not None:
            self._server.close()

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        self.stop_listening()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    inside = await self._connect(self._port)
            except (OSError, MachineFault) as error:
                log.debug("https_port_silent", port=self._port, error=str(error))
                writer.write(UNREACHED)
            else:
                await join((reader, writer), inside)
            writer.close()
            await writer.wait_closed()
        except OSError as error:
            log.debug("https_connection_lost", port=self._port, error=str(error))
        finally:
            abort(writer.transport)


def abort(transport: asyncio.WriteTransport) -> None:
    """Ends a connection at once, also one that has ended: Debian 12's Python raises AttributeError for TLS there."""
    with suppress(AttributeError):
        transport.abort()


async def join(outside: Streams, inside: Streams) -> None:
    """Relays both sides' data, until one has ended."""
    ways = [
        asyncio.create_task(_pass_on(outside[0], inside[1])),
        asyncio.create_task(_pass_on(inside[0], outside[1])),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        abort(inside[1].transport)


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(CHUNK):
        target.write(data)
        await target.drain()
