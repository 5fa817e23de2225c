"""Keep-alive HTTP/1.1 connections that only read, at a small part of the cost of a general client.

What the generator spends on a request it takes from the server, on the same machine.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class BadAnswer(ConnectionError):
    """The server's answer is not one of HTTP/1.1 with a length."""


class ClosedMeanwhile(ConnectionError):
    """The server closed the connection without an answer, as it may close one that was idle."""


class Connections:
    """An async context manager; requests beside each other use connections of their own."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        if address.hostname is None or address.port is None:
            raise ValueError(f"{url} names no host and port")
        self._host, self._port = address.hostname, address.port
        self.opened = 0
        self._idle: list[Connection] = []
        self._broken: list[asyncio.StreamWriter] = []

    async def get(self, path: str) -> int:
        """Asks for a path, reads the whole answer and gives its status. Raises ConnectionError."""
        while (kept := self._take_idle()) is not None:
            try:
                return await self._ask(path, *kept)
            except ClosedMeanwhile:
                continue
        self.opened += 1
        return await self._ask(path, *await asyncio.open_connection(self._host, self._port))

    def _take_idle(self) -> Connection | None:
        """A connection that the server has not closed; the others are let go."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            self._drop(writer)
        return None

    async def _ask(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n\r\n".encode())
            status, length = _head(await _read_head(reader))
            await reader.readexactly(length)
        except asyncio.IncompleteReadError as error:
            self._drop(writer)
            raise BadAnswer(str(error)) from error
        except BaseException:
            self._drop(writer)
            raise
        self._idle.append((reader, writer))
        return status

    def _drop(self, writer: asyncio.StreamWriter) -> None:
        writer.close()
        self._broken.append(writer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writers = [*self._broken, *(writer for _, writer in self._idle)]
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    """A server that closes a connection as a request arrives on it resets it."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        raise ClosedMeanwhile(str(error)) from error
    except ConnectionResetError as error:
        raise ClosedMeanwhile(str(error)) from error


def _head(head: bytes) -> tuple[int, int]:
    """Status and length of an answer, from its head."""
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if not version.startswith("HTTP/1.") or not rest[:3].isdigit() or not headers.get("content-length", "").isdigit():
        raise BadAnswer(f"unexpected answer: {first}")
    return int(rest[:3]), int(headers["content-length"])
