"""A limit on the size of requests."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anchor_client.orders import MAX_SEALED_BYTES
from indexer.api.errors import ApiError

MAX_BODY_BYTES = MAX_SEALED_BYTES * 4 // 3 + 4_096
"""A sealed order in base64 is the largest, with its signature around it."""
READING = ("GET", "HEAD", "OPTIONS")
"""Methods whose bodies no route reads, and so nobody takes into memory."""


class BodyLimit:
    """Refuses a request whose body is larger than `most` bytes, before it is in memory."""

    def __init__(self, app: ASGIApp, *, most: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the body and passes the request on."""
        if scope["type"] != "http" or scope["method"] in READING:
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        parts: list[Message] = []
        # By its own word first: of what is announced as too large nothing is read.
        size = int(told) if told.isdecimal() else 0
        if size <= self._most:
            size = 0
            while size <= self._most and (not parts or parts[-1].get("more_body", False)):
                parts.append(await receive())
                size += len(parts[-1].get("body", b""))
        if size > self._most:
            message = f"The body may have at most {self._most} bytes."
            refusal = ApiError(413, "body_too_large", message, "Send a smaller body; /docs describes each route's.")
            await refusal.response(scope["path"])(scope, receive, send)
            return
        # Taken from the end, which a list does in constant time.
        parts.reverse()

        async def replay() -> Message:
            return parts.pop() if parts else await receive()

        await self._app(scope, replay, send)
