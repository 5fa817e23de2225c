"""Clients at other addresses than this machine's."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

ORIGIN = "x-test-origin"


class Origins:
    """Lets each request of a test name the address that it comes from."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for name, value in scope.get("headers", ()):
            if name == ORIGIN.encode():
                scope = {**scope, "client": (value.decode(), 1)}
        await self._app(scope, receive, send)
