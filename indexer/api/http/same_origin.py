"""Doors of an API on someone's own computer: closed to web pages of others, which a browser there may show."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from indexer.api.errors import ApiError
from indexer.api.limits.middleware import WITHIN
from indexer.dashboard.files import ASSETS

LOCAL_NAME: Final = "localhost"
SCRIPTS: Final = f"/{ASSETS}"
"""Public, and loaded by a document of the page that has no origin."""
REMEDY: Final = "Open the page at this API's own address, by localhost or 127.0.0.1."


class SameOrigin:
    """Refuses requests that a web page of another origin makes, also one whose name was pointed at this computer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it with 403."""
        if scope["type"] not in ("http", "websocket") or WITHIN in scope:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if not is_loopback(host):
            refusal = ApiError(403, "foreign_host", f"{host!r} is not a name of this computer.", REMEDY)
        elif origin is not None and origin.partition("://")[2] != host and not scope["path"].startswith(SCRIPTS):
            refusal = ApiError(403, "foreign_page", f"Web pages of {origin} may not use this API.", REMEDY)
        else:
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await refusal.response(scope["path"])(scope, receive, send)


def is_loopback(host: str) -> bool:
    """True for a Host header that names this computer, with any port."""
    if "@" in host:
        return False
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == LOCAL_NAME:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
