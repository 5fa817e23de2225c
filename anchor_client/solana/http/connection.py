"""One connection to a server: a request at a time."""

from __future__ import annotations

import asyncio
import time
import zlib
from typing import Final

from httptools import HttpParserError, HttpResponseParser

from anchor_client.solana.http.answer import HttpAnswer, HttpFailure, NoConnection, TooSlow, Undecodable

MOST_BYTES: Final = 2**28
"""Of an answer, packed or unpacked; no node has as much to say."""
_GZIP: Final = 16 + zlib.MAX_WBITS
_LAST_INFORMATIONAL: Final = 199


class HttpConnection(asyncio.Protocol):
    """Speaks HTTP/1.1 over a transport. One that has failed a request, or was left in one, is closed.

    `most_bytes` may come as one answer, headers included, and as many be unpacked of it; MOST_BYTES by default.
    """

    def __init__(self, most_bytes: int | None = None) -> None:
        self._most = MOST_BYTES if most_bytes is None else most_bytes
        self.is_reusable = True
        self.used_at = time.monotonic()
        self.has_heard = False
        """True where any of an answer has come since the last request."""
        self.transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[HttpAnswer] | None = None
        self._headers: dict[bytes, bytes] = {}
        self._has_head = False
        self._heard_at = 0.0

    async def ask(self, request: bytes, seconds: float, *, head_only: bool = False) -> HttpAnswer:
        """Sends a request and waits for its answer, at most `seconds` for each part of it. HttpFailure.

        With `head_only` the answer ends with its headers, as one to CONNECT does.
        """
        if self.transport is None or self.transport.is_closing():
            raise NoConnection("the connection is closed")
        loop = asyncio.get_running_loop()
        self._begin(loop, head_only)
        assert self._answer is not None
        self._timer = loop.call_later(seconds, self._watch, loop, seconds)
        self.transport.write(request)
        try:
            return await self._answer
        except BaseException:
            self.close()
            raise
        finally:
            self._timer.cancel()
            self._answer = None
            self.used_at = time.monotonic()

    def close(self) -> None:
        """Ends the connection immediately."""
        self.is_reusable = False
        if self.transport is not None:
            # close() would wait until the server has taken what is still to be sent.
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio's."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """asyncio's."""
        if self._answer is None or self._answer.done():
            self.close()  # nobody asked
            return
        self.has_heard = True
        self._heard_at = time.monotonic()
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpFailure) as error:
            self._fail(Undecodable(f"it is not HTTP: {error}"))
        if self._received > self._most:
            self._fail(Undecodable("it is too large"))  # unless it has ended

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio's."""
        self.is_reusable = False
        # Some servers end an answer of unknown length as HTTP/1.0 did, by closing.
        if exc is None and self._ends_with_connection:
            self._finish()
        self._fail(NoConnection("the connection was closed"))

    def on_message_begin(self) -> None:
        """httptools'."""
        self._headers = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools'."""
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """httptools'."""
        # 100 Continue and its like come before the answer itself.
        self._has_head = self._parser.get_status_code() > _LAST_INFORMATIONAL
        if self._head_only:
            self._finish()

    def on_body(self, body: bytes) -> None:
        """httptools'."""
        self._size += len(body)
        if self._size > self._most:
            self._fail(Undecodable("it is too large"))
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        """httptools'."""
        if self._parser.get_status_code() > _LAST_INFORMATIONAL:
            self._finish()

    @property
    def _ends_with_connection(self) -> bool:
        """True where an answer has begun that gives neither its length nor a transfer encoding."""
        return self._has_head and not self._headers.keys() & {b"content-length", b"transfer-encoding"}

    def _begin(self, loop: asyncio.AbstractEventLoop, head_only: bool) -> None:
        self._answer = loop.create_future()
        self._parser = HttpResponseParser(self)
        self._headers = {}
        self._parts: list[bytes] = []
        self._received = self._size = 0
        self._head_only = head_only
        self._has_head = False
        self.has_heard = False
        self._heard_at = time.monotonic()

    def _watch(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        left = self._heard_at + seconds - time.monotonic()
        if left <= 0:
            self._fail(TooSlow("it does not answer in time"))
        else:
            self._timer = loop.call_later(left, self._watch, loop, seconds)

    def _finish(self) -> None:
        if self._answer is None or self._answer.done():
            return
        if not self._parser.should_keep_alive() and not self._head_only:
            self.is_reusable = False
        told = self._headers.get(b"retry-after")
        try:
            text = self._unpacked().decode("utf-8", "replace")
        except Undecodable as error:
            self._fail(error)
            return
        status = self._parser.get_status_code()
        retry_after = None if told is None else told.decode("latin-1")
        self._answer.set_result(HttpAnswer(status, text, retry_after, self._headers))

    def _unpacked(self) -> bytes:
        body = b"".join(self._parts)
        if not body or self._headers.get(b"content-encoding", b"identity").lower() == b"identity":
            return body
        unpacking = zlib.decompressobj(_GZIP)
        try:
            # At most so much: a few kilobytes may unpack to gigabytes.
            plain = unpacking.decompress(body, self._most)
        except zlib.error as error:
            raise Undecodable("it cannot be unpacked") from error
        if not unpacking.eof:
            raise Undecodable("it cannot be unpacked, or is too large")
        return plain

    def _fail(self, failure: HttpFailure) -> None:
        self.is_reusable = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(failure)
