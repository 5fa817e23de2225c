"""POST /hooks/transactions: a provider's webhook that says "look again".

It takes what "raw" webhooks send, an array of getTransaction's results, and believes none of it: the indexer looks at
the chain itself. Hooks that arrive during a look cost one more look together.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anchor_client.service.listening import listen
from indexer.api.errors import ApiError
from indexer.api.http.bodies import BodyLimit
from indexer.errors import HooksUnserved
from indexer.index.sources.answers import SignatureText, Slot
from indexer.metrics import HOOKS

HOST: Final = "127.0.0.1"
"""Providers come through a reverse proxy, which has a certificate."""
PATH: Final = "/hooks/transactions"
MAX_HOOK_BYTES: Final = 4 * 1024 * 1024

Wake = Callable[[], object]


class _Signed(Struct, frozen=True):
    signatures: Annotated[list[SignatureText], Meta(min_length=1)]


class _Told(Struct, frozen=True):
    """As much of a transaction as shows that it is one."""

    slot: Slot
    transaction: _Signed


_told = msgspec.json.Decoder(list[_Told])


def hooks_app(secret: str, wake: Wake) -> ASGIApp:
    """The application: calls `wake` at each hook that has `secret` as its Authorization and names a transaction."""

    async def take(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            transactions = _told.decode(await Request(scope, receive).body())
        except (msgspec.DecodeError, RecursionError) as error:
            remedy = "Send an array of getTransaction's results, as raw webhooks do."
            raise ApiError(422, "invalid_hook", f"This is not a raw webhook: {error}", remedy) from None
        if transactions:
            wake()
        await Response(status_code=204)(scope, receive, send)

    limited = BodyLimit(take, most=MAX_HOOK_BYTES)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                HOOKS.labels(str(message["status"])).inc()
            await send(message)

        try:
            _admit(scope, secret)
            await limited(scope, receive, counted)
        except ApiError as refusal:
            await refusal.response(scope["path"])(scope, receive, counted)

    return answer


def listen_for_hooks(port: int) -> socket.socket:
    """Listening socket for hooks. Raises HooksUnserved."""
    try:
        return listen(HOST, port)
    except OSError as error:
        raise HooksUnserved(port, error) from error


def _admit(scope: Scope, secret: str) -> None:
    """Before any of the body is read."""
    if scope["path"] != PATH:
        raise ApiError(404, "not_found", "There is nothing here.", f"Hooks go to {PATH}.")
    if scope["method"] != "POST":
        headers = {"Allow": "POST"}
        raise ApiError(405, "method_not_allowed", "Hooks are sent.", f"Use POST {PATH}.", headers=headers)
    given = Headers(scope=scope).get("authorization", "")
    if not hmac.compare_digest(given.encode(), secret.encode()):
        remedy = "Have the provider send the secret as its Authorization header."
        raise ApiError(401, "hook_refused", "The Authorization header is not the secret.", remedy)
