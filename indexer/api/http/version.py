"""Version of the API, which every answer names."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

API_VERSION = 1
"""Of what is under /api. Answers only gain fields within a version."""
HEADER = "API-Version"
TOLD = HEADER.lower().encode(), str(API_VERSION).encode()


class Versioned:
    """Adds the header to every HTTP answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], TOLD]
            await send(message)

        await self._app(scope, receive, tell)
