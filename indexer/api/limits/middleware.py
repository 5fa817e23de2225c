"""Counts each request before anything is done for it."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from indexer.api.connections import client_key
from indexer.api.limits.limiter import Limiter, Quota, tell
from indexer.api.limits.policies import Policies

QUOTAS = "quotas"
"""Of a request's state: the limits that it was taken from."""


class RateLimits:
    """Refuses who asks too often, and says in every answer what is left."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what is within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope["app"].state
        limiter: Limiter = state.limiter
        policies: Policies = state.policies
        quotas: list[Quota] = []
        scope.setdefault("state", {})[QUOTAS] = quotas

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                tell(MutableHeaders(scope=message), quotas)
            await send(message)

        quota = await limiter.take(policies.address, address_of(scope))
        if quota is not None:
            quotas.append(quota)
            if not quota.is_kept:
                await quota.refusal().response()(scope, receive, answer)
                return
        await self._app(scope, receive, answer)


def address_of(scope: Scope) -> str:
    """By whom requests without sign-in count."""
    return client_key(scope["client"][0] if scope.get("client") else "")
