"""A server that answers as a test tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Respond = Callable[[str], Awaitable[bytes]]
"""The whole answer to a path; b"" closes the connection."""
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
"""An answer with a body."""


@asynccontextmanager
async def answering(respond: Respond, opened: list[str] | None = None) -> AsyncIterator[str]:
    """Serves on loopback inside the context, which clients leave first; gives the URL.

    `opened` gets the address of each client.
    """
    talks: list[asyncio.Task[None]] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            answer = await respond(head.decode().split(" ")[1])
            if not answer:
                break
            writer.write(answer)
        writer.close()
        await writer.wait_closed()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if opened is not None:
            opened.append(str(writer.get_extra_info("peername")))
        talks.append(asyncio.create_task(talk(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.gather(*talks)
