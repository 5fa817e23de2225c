"""A name for each request, by which its answer, its log lines and its calls to the node are found; and its time.

It is the client's X-Request-Id, or the trace id of its W3C `traceparent`, or else made here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextvars import ContextVar
from os import urandom

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from indexer.metrics import REQUEST_SECONDS

HEADER = "X-Request-Id"
RAW_HEADER = HEADER.lower().encode()
RAW_TRACE = b"traceparent"
ID_BYTES = 16
NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""That of the request being answered."""

log = structlog.get_logger(__name__)


class RequestIds:
    """Names every HTTP request, logs how it was answered, and observes how long that took by route and status."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Each request is a task of its own, whose context ends with it.
        named, trace = _names(scope["headers"])
        request_id.set(named)
        structlog.contextvars.bind_contextvars(request_id=named)
        if trace is not None:
            structlog.contextvars.bind_contextvars(trace_id=trace)
        began = time.perf_counter()
        # What is answered, further out, to an exception that passes here.
        status = 500

        async def name(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (RAW_HEADER, named.encode())]
            await send(message)

        try:
            await self._app(scope, receive, name)
        finally:
            seconds = time.perf_counter() - began
            REQUEST_SECONDS.labels(getattr(scope.get("route"), "path", "unmatched"), str(status)).observe(seconds)
            path = scope["path"]
            rounded = round(seconds, 6)
            log.debug("request answered", method=scope["method"], path=path, status=status, seconds=rounded)


def _names(headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, str | None]:
    """A request's id, and its trace id if it is part of a trace."""
    told: dict[bytes, str] = {}
    for name, value in headers:
        if name in (RAW_HEADER, RAW_TRACE):
            told.setdefault(name, value.decode("latin-1"))
    traced = TRACEPARENT.fullmatch(told.get(RAW_TRACE, ""))
    trace = None if traced is None else traced[1]
    given = told.get(RAW_HEADER, "")
    if not NAME.fullmatch(given):
        given = trace or urandom(ID_BYTES).hex()
    return given, trace
