"""HTTPS by a renter, who pins the certificate of their connection."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from anchor_client.connection import Connection
from host_agent.web.relay import abort
from tests.processes.patience import PATIENCE


def unverified() -> ssl.SSLContext:
    """TLS context of a client that compares the certificate by itself."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answer, port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server's port; at the end it has waited for every connection to be closed."""
    under_way: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await answer(reader, writer)
            writer.close()
            await writer.wait_closed()
        await hang_up(writer)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        under_way.add(asyncio.create_task(serve(reader, writer)))

    async with await asyncio.start_server(accept, "127.0.0.1", port, ssl=tls) as server:
        yield server.sockets[0].getsockname()[1]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*under_way)


@asynccontextmanager
async def answering(tls: ssl.SSLContext) -> AsyncIterator[int]:
    """The port of a TLS server that says nothing."""

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await until_closed(reader)

    async with serving(wait, tls=tls) as port:
        yield port


async def shown_certificate(port: int, host: str = "127.0.0.1") -> bytes:
    """The certificate of a TLS server."""
    _, writer = await asyncio.open_connection(host, port, ssl=unverified())
    try:
        return _certificate(writer)
    finally:
        await hang_up(writer)


async def pinned(connection: Connection, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to an HTTP port of the container, whose certificate is the one that was sealed."""
    reader, writer = await asyncio.open_connection(connection.host, connection.https[port], ssl=unverified())
    digest = hashlib.sha256(_certificate(writer)).digest()
    assert b64encode(digest).decode().rstrip("=") == connection.certificate
    return reader, writer


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Ends a connection, and waits until its socket is closed."""
    abort(writer.transport)
    with suppress(ConnectionError):
        await writer.wait_closed()


async def until_closed(reader: asyncio.StreamReader) -> None:
    """Waits for the other end to close a connection, by which nothing more may come."""
    with suppress(ConnectionError):
        assert await reader.read() == b""


async def fetch(connection: Connection, port: int, path: str = "/") -> tuple[int, str]:
    """Status and body of an answer."""
    reader, writer = await pinned(connection, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: machine.test\r\nConnection: close\r\n\r\n".encode())
        answer = (await reader.read()).decode()
    finally:
        await hang_up(writer)
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


def _certificate(writer: asyncio.StreamWriter) -> bytes:
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    assert isinstance(shown, bytes)
    return shown
