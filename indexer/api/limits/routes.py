"""Requests for which the API asks its node: fewer than others, of each client and of all together."""

from __future__ import annotations

from fastapi import Request
from starlette.requests import HTTPConnection

from indexer.api.limits.limiter import CallerQuota, Limiter
from indexer.api.limits.middleware import POLICY, QUOTAS, WEIGHT, caller_of
from indexer.api.limits.policies import Policies, Policy

ALL = "all"


async def take_of_node(request: Request) -> None:
    """Lets a request pass, or refuses it: ApiError 429."""
    policies: Policies = request.app.state.policies
    await take(request, policies.node[getattr(request.state, WEIGHT)], caller_of(request.scope))
    await take(request, policies.node_of_all, ALL)


async def take_more(request: HTTPConnection, cost: int) -> None:
    """Takes the other requests of one that counts as several. ApiError 429."""
    await take(request, getattr(request.state, POLICY), caller_of(request.scope), cost)


async def take(request: HTTPConnection, policy: Policy, key: str, cost: int = 1) -> None:
    """Counts a request against one more limit, which its response reports. ApiError 429 beyond it."""
    limiter: Limiter = request.app.state.limiter
    quota = await limiter.take(policy, key, cost)
    if quota is None:
        return
    quotas: list[CallerQuota] = getattr(request.state, QUOTAS)
    quotas.append(quota)
    if not quota.is_kept:
        raise quota.refusal()
