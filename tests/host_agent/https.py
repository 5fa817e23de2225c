"""HTTPS by a renter, who pins the certificate of their connection."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from anchor_client.sealing import Connection


def unverified() -> ssl.SSLContext:
    """What a client has that compares the certificate by itself."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@asynccontextmanager
async def answering(context: ssl.SSLContext) -> AsyncIterator[int]:
    """A TLS server's port."""

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def shown_certificate(port: int, host: str = "127.0.0.1") -> bytes:
    """The certificate of a TLS server."""
    _, writer = await asyncio.open_connection(host, port, ssl=unverified())
    try:
        return _certificate(writer)
    finally:
        writer.transport.abort()


async def pinned(connection: Connection, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to an HTTP port of the container, whose certificate is the one that was sealed."""
    reader, writer = await asyncio.open_connection(connection.host, connection.https[port], ssl=unverified())
    digest = hashlib.sha256(_certificate(writer)).digest()
    assert b64encode(digest).decode().rstrip("=") == connection.certificate
    return reader, writer


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
        writer.transport.abort()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


def _certificate(writer: asyncio.StreamWriter) -> bytes:
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    assert isinstance(shown, bytes)
    return shown
