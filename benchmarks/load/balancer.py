"""A load balancer of TCP connections, which asks each server behind it whether it is well."""

from __future__ import annotations

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

import httpx

HEALTH_SECONDS: Final = 0.1
CHUNK: Final = 65_536
PLAIN: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Made once: no connection here has TLS."""


@asynccontextmanager
async def balanced(urls: Sequence[str], health_seconds: float = HEALTH_SECONDS) -> AsyncIterator[str]:
    """Takes turns among the servers whose /health says ok, asked so often; gives its own URL."""
    balancer = _Balancer(urls, health_seconds)
    server = await asyncio.start_server(balancer.serve, "127.0.0.1", 0)
    watching = [asyncio.create_task(balancer.watch(url)) for url in urls]
    try:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"
    finally:
        server.close()
        ending = [*watching, *balancer.serving]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)


class _Balancer:
    def __init__(self, urls: Sequence[str], health_seconds: float) -> None:
        self._health_seconds = health_seconds
        self._healthy = dict.fromkeys(urls, True)
        self._turn = 0
        self.serving: set[asyncio.Task[None]] = set()

    async def watch(self, url: str) -> None:
        """Asks a server whether it is well, for ever."""
        while True:
            try:
                async with httpx.AsyncClient(base_url=url, timeout=5, verify=PLAIN) as client:
                    self._healthy[url] = (await client.get("/health")).is_success
            except httpx.TransportError:
                self._healthy[url] = False
            await asyncio.sleep(self._health_seconds)

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carries one connection to a server and back."""
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        try:
            there, back = await self._connected()
            try:
                await asyncio.gather(_carry(reader, back), _carry(there, writer))
            finally:
                back.close()
        except ConnectionRefusedError:
            writer.transport.abort()
        finally:
            self.serving.discard(task)
            writer.close()

    async def _connected(self) -> tuple[StreamReader, StreamWriter]:
        """A connection to the next server that is well; to any that takes it, where none is."""
        self._turn += 1
        urls = list(self._healthy)
        urls = urls[self._turn % len(urls) :] + urls[: self._turn % len(urls)]
        for url in sorted(urls, key=lambda url: not self._healthy[url]):
            place = urlsplit(url)
            with suppress(ConnectionRefusedError):
                return await asyncio.open_connection(place.hostname, place.port)
        raise ConnectionRefusedError("nobody answers")


async def _carry(source: StreamReader, target: StreamWriter) -> None:
    """Until one side ends: a reset is passed on as one, an end as an end."""
    try:
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    except ConnectionError:
        target.transport.abort()
        return
    with suppress(OSError):  # the other side has left already
        target.write_eof()
