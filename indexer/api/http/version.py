"""Headers of every answer: the version of the API, and that browsers neither guess its type nor show it in a frame."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

API_VERSION = 1
"""Of what is under /api. Answers only gain fields within a version."""
HEADER = "API-Version"
TOLD = HEADER.lower().encode(), str(API_VERSION).encode()
SAFE = ((b"x-content-type-options", b"nosniff"), (b"content-security-policy", b"frame-ancestors 'none'"))
"""Unless an answer has its own."""


class Versioned:
    """Adds the headers to every HTTP answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name for name, _ in message["headers"]}
                added = (each for each in SAFE if each[0] not in named)
                message["headers"] = [*message["headers"], TOLD, *added]
            await send(message)

        await self._app(scope, receive, tell)
