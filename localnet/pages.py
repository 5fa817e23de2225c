"""Web pages that may use the cluster: a browser on this computer shows those of strangers too."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from localnet.records import Json
from localnet.rpc.envelope import Call
from localnet.rpc.errors import INVALID_REQUEST, RpcError

CHEAT: Final = "cheat_"
"""Start of the names of methods that no validator has."""
CHANGING: Final = ("requestAirdrop", "sendTransaction")
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
EXTENSION: Final = "-extension"
POLICY_VIOLATION: Final = 1008


class OwnPages:
    """Answers pages of the named origins and wallets alone; pages of any origin where none are named."""

    def __init__(self, app: ASGIApp, origins: Collection[str] | None) -> None:
        self._origins = origins
        allow = partial(CORSMiddleware, allow_methods=["OPTIONS", "POST"], allow_headers=["*"])
        if origins is None:
            self._app = allow(app, allow_origins=["*"])
        else:
            self._app = allow(app, allow_origins=[*origins], allow_origin_regex=rf"[a-z-]+{EXTENSION}://.*")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it with 403."""
        origin = HTTPConnection(scope).headers.get("origin") if scope["type"] in ("http", "websocket") else None
        if self._origins is None or origin is None or origin in self._origins or _is_wallet(origin):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await PlainTextResponse(f"Web pages of {origin} may not use this cluster\n", 403)(scope, receive, send)


def for_page(call: Call, origin: str) -> Call:
    """Calls for a web page: any page that a browser on this computer shows could move time and change accounts. Pages
    of others could rent a machine of a local market, with lamports from nowhere, and so run programs.
    """
    is_local = _is_wallet(origin) or _host_of(origin) in LOCAL_NAMES

    def answered(name: str, params: Json) -> Json:
        if name.startswith(CHEAT):
            raise RpcError(INVALID_REQUEST, f"{name} is not for web pages")
        if name in CHANGING and not is_local:
            raise RpcError(INVALID_REQUEST, f"{name} is not for web pages of other computers")
        return call(name, params)

    return answered


def _is_wallet(origin: str) -> bool:
    """True for a browser's extension."""
    return origin.partition("://")[0].endswith(EXTENSION)


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None
