"""Identifies the caller and counts each request before it is processed."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from indexer.accounts.errors import NotSignedIn
from indexer.api.errors import ApiError, unauthorized
from indexer.api.feed.closing import refuse
from indexer.api.http.connections import client_key
from indexer.api.identity.credentials import Credentials, Identity, credentials_of, has_credential
from indexer.api.identity.scopes import scope_of
from indexer.api.identity.standings import Standings
from indexer.api.limits.limiter import CallerQuota, Limiter, told
from indexer.api.limits.policies import Policies
from indexer.store.turns import HOLDER

WITHIN = "gpu_market.within"
"""In the scope of a request that the API makes of itself: nobody's limit is taken from, and no page has made it."""
QUOTAS, IDENTITY, WEIGHT, POLICY = "quotas", "identity", "weight", "policy"
"""Of a request's state: the limits that it was taken from, who asks, whether they have more than others, and the limit
of all that they ask."""
LIMITS = "limits"
"""The same: that limit, and those of the networks around them."""
ORDINARY = 0
PARTICIPANT = 1


class RateLimits:
    """Refuses callers above their limit or beyond their key's scopes, and reports in every response what is left."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on requests within the limits."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        quotas: list[CallerQuota] = []
        state = scope.setdefault("state", {})
        state |= {QUOTAS: quotas, IDENTITY: None, WEIGHT: ORDINARY}

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *told(quotas)]
            await send(message)

        try:
            if WITHIN not in scope:
                HOLDER.set(address_of(scope))
                await _admit(scope, quotas)
                HOLDER.set(holder_of(scope))
        except ApiError as refusal:
            if scope["type"] == "websocket":
                await refuse(WebSocket(scope, receive, send), refusal)
                return
            await refusal.response(scope["path"])(scope, receive, answer)
            return
        await self._app(scope, receive, answer)


async def _admit(scope: Scope, quotas: list[CallerQuota]) -> None:
    """ApiError 401, 403 or 429. A credential that does not count is counted by its address."""
    app = scope["app"].state
    credentials: Credentials = app.credentials
    policies: Policies = app.policies
    wrong: NotSignedIn | None = None
    try:
        identity = None
        if has_credential(scope):
            identity = await credentials.identify(credentials_of(scope))
    except NotSignedIn as error:
        identity = None
        wrong = error
    weight = await _weight(app.standings, identity)
    policy = policies.address
    if identity is not None:
        policy = policies.wallet[weight]
    scope["state"] |= {IDENTITY: identity, WEIGHT: weight, POLICY: policy}
    around = [] if weight else policies.address.around(address_of(scope))
    limits = scope["state"][LIMITS] = [(policy, caller_of(scope)), *around]
    limiter: Limiter = app.limiter
    keep(await limiter.take_all(limits), quotas)
    if wrong is not None:
        raise unauthorized(wrong)
    if identity is None:
        return
    needed = scope_of(scope.get("method", "GET"), scope["path"])
    if needed is not None and needed not in identity.scopes:
        message = f"This API key lacks the scope {needed}."
        raise ApiError(403, "scope_missing", message, "Create a key with that scope, or sign in.")


async def _weight(standings: Standings, identity: Identity | None) -> int:
    if identity is None:
        return ORDINARY
    standing = await standings.of(identity.wallet)
    return PARTICIPANT if standing.has_weight else ORDINARY


def keep(taken: Sequence[CallerQuota], told_of: list[CallerQuota]) -> None:
    """Has the answer tell of the first limit, and of any that is exceeded, which refuses the request: ApiError 429."""
    told_of += taken[:1]
    for quota in taken:
        if not quota.is_kept:
            told_of += [] if quota is taken[0] else [quota]
            raise quota.refusal()


def caller_of(scope: Scope) -> str:
    """By whom a request counts: a wallet, whichever credential it has, or an address."""
    identity: Identity | None = scope["state"][IDENTITY]
    if identity is None:
        return address_of(scope)
    return identity.wallet


def holder_of(scope: Scope) -> str:
    """Holder of the share of a pool that a request takes: its address, or a wallet with standing."""
    identity: Identity | None = scope["state"][IDENTITY]
    if identity is not None and scope["state"][WEIGHT]:
        return identity.wallet
    return address_of(scope)


def address_of(scope: Scope) -> str:
    """By whom requests without sign-in count."""
    # A server that listens on a Unix socket learns of no client's address.
    host, _ = scope.get("client") or ("", 0)
    return client_key(host)
