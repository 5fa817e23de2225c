"""ETags and gzip for answers to GET: which representation a client gets, or that it has the same one already."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from indexer.store.turns import NetworkTurns

OK = 200
NOT_MODIFIED = 304
WORTH_BYTES = 1_024
"""Smaller answers are sent as they are."""
LEVEL = 3
"""Half of the time of 5, for a twentieth more bytes."""
GZIPPED = "-gzip"
OF_THE_BODY = (b"content-length", b"content-type")
COMPRESSORS = 2
"""Threads that compress answers."""
_THREADS = ThreadPoolExecutor(COMPRESSORS, thread_name_prefix="compress")
_TURNS = NetworkTurns(COMPRESSORS)


def etag_of(body: bytes) -> str:
    """The ETag of an answer as it is."""
    return f'"{blake2b(body, digest_size=12).hexdigest()}"'


@lru_cache(256)
def takes_gzip(codings: str) -> bool:
    """True for an Accept-Encoding that names gzip, or `*`, without refusing it."""
    for each in codings.split(","):
        coding, _, weight = each.strip().partition(";")
        if coding.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _asked(headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, str]:
    """The codings that a request accepts, and the ETags that it has."""
    codings = known = None
    for name, value in headers:
        if name == b"accept-encoding" and codings is None:
            codings = value
        elif name == b"if-none-match" and known is None:
            known = value
    return (codings or b"").decode("latin-1"), (known or b"").decode("latin-1")


class AnswerHeaders(NamedTuple):
    """The headers of an answer; nobody changes these lists."""

    etag: str
    whole: list[tuple[bytes, bytes]]
    unmodified: list[tuple[bytes, bytes]]
    """Headers of a 304 response."""


class Representation:
    """An answer's body, and the same in gzip once somebody has asked for that."""

    __slots__ = ("_gzipped", "_gzipping", "_start", "_told", "body", "etag")

    def __init__(self, start: Message, body: bytes) -> None:
        self._start = start
        self.body = body
        self.etag = etag_of(body)
        self._gzipped: bytes | None = None
        self._gzipping: asyncio.Future[bytes] | None = None
        self._told: dict[bool, AnswerHeaders] = {}
        """Of the body in gzip, and as it is."""

    def renewed(self, body: bytes) -> Representation:
        """The same answer with another body; in gzip as well if somebody has asked this one for it."""
        start: Message = {**self._start, "headers": list(self._start["headers"])}
        MutableHeaders(raw=start["headers"])["content-length"] = str(len(body))
        made = Representation(start, body)
        if self._gzipped is not None and len(body) >= WORTH_BYTES:
            made._gzipped = _compressed(body)
        return made

    async def send(self, scope: Scope, send: Send) -> None:
        """Answers a request; 304 without a body if it names the ETag of what it would get."""
        codings, known = _asked(scope["headers"])
        is_gzipped = len(self.body) >= WORTH_BYTES and takes_gzip(codings)
        body = await self._in_gzip() if is_gzipped else self.body
        told = self._told.get(is_gzipped)
        if told is None:
            told = self._told[is_gzipped] = self._headers(body, is_gzipped=is_gzipped)
        if told.etag in known or known == "*":
            await send({**self._start, "status": NOT_MODIFIED, "headers": told.unmodified})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({**self._start, "headers": told.whole})
        await send({"type": "http.response.body", "body": body})

    def _headers(self, body: bytes, *, is_gzipped: bool) -> AnswerHeaders:
        told = MutableHeaders(raw=list(self._start["headers"]))
        # A strong ETag names bytes, and the compressed ones are others.
        told["etag"] = etag = f'{self.etag[:-1]}{GZIPPED}"' if is_gzipped else self.etag
        if len(self.body) >= WORTH_BYTES:
            # Also of an answer as it is: a cache must not give it to those who would get the other.
            told.add_vary_header("Accept-Encoding")
        unmodified = [each for each in told.raw if each[0] not in OF_THE_BODY]
        if is_gzipped:
            told["content-encoding"] = "gzip"
            told["content-length"] = str(len(body))
        return AnswerHeaders(etag, told.raw, unmodified)

    async def _in_gzip(self) -> bytes:
        """Made once, beside the event loop: other requests are answered meanwhile. Networks take turns at it."""
        if self._gzipped is None:
            async with _TURNS.turn():
                if self._gzipping is None:
                    self._gzipping = asyncio.get_running_loop().run_in_executor(_THREADS, _compressed, self.body)
                # One who leaves ends it for nobody else.
                self._gzipped = await asyncio.shield(self._gzipping)
        return self._gzipped


def _compressed(body: bytes) -> bytes:
    # gzip writes the time into its header: without it, the same body has the same bytes wherever it is compressed.
    return gzip.compress(body, LEVEL, mtime=0)


class CompactAnswers:
    """Gives what nobody keeps an ETag, and gzip where that is worth it; passes on what has an ETag."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on all but whole answers to GET."""
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        started: Message | None = None
        parts: list[bytes] = []

        async def take(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                if message["status"] == OK and _is_whole(Headers(raw=message["headers"])):
                    started = message
                    return
            elif started is not None:
                parts.append(message.get("body", b""))
                if not message.get("more_body", False):
                    await Representation(started, b"".join(parts)).send(scope, send)
                return
            await send(message)

        await self._app(scope, receive, take)


def _is_whole(headers: Headers) -> bool:
    """True for an answer that has an end, and no ETag yet."""
    return "etag" not in headers and not headers.get("content-type", "").startswith("text/event-stream")
