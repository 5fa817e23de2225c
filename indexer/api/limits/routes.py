"""Requests for which the API asks its node: fewer than others, of each client and of all together."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Request
from starlette.requests import HTTPConnection

from indexer.api.limits.limiter import Limiter
from indexer.api.limits.middleware import LIMITS, QUOTAS, WEIGHT, address_of, caller_of, keep
from indexer.api.limits.policies import Policies, Policy

ALL = "all"


async def take_of_node(request: Request) -> None:
    """Lets a request pass, or refuses it: ApiError 429."""
    policies: Policies = request.app.state.policies
    weight: int = getattr(request.state, WEIGHT)
    around = _around(policies.node_of_all, request)
    await take(request, [(policies.node[weight], caller_of(request.scope)), *around])
    await take(request, [(policies.node_of_all, ALL)])


async def take_gift(request: Request) -> None:
    """Lets a gift of the faucet's pass, or refuses it: ApiError 429."""
    policy: Policy = request.app.state.policies.gifts_of_all
    await take(request, [*_around(policy, request), (policy, ALL)])


async def take_more(request: HTTPConnection, cost: int) -> None:
    """Takes the other requests of one that counts as several. ApiError 429."""
    await take(request, getattr(request.state, LIMITS), cost)


async def take_sign_in(request: Request) -> None:
    """Lets a sign-in pass, or refuses it: ApiError 429."""
    policy: Policy = request.app.state.policies.sign_in
    address = address_of(request.scope)
    await take(request, [(policy, address), *policy.around(address)])


async def take(request: HTTPConnection, limits: Sequence[tuple[Policy, str]], cost: int = 1) -> None:
    """Counts a request against more limits, the first of which its response reports. ApiError 429 beyond any."""
    limiter: Limiter = request.app.state.limiter
    keep(await limiter.take_all(limits, cost), getattr(request.state, QUOTAS))


def _around(policy: Policy, request: Request) -> list[tuple[Policy, str]]:
    """Parts of the networks that a request counts for: none for a wallet with standing."""
    return [] if getattr(request.state, WEIGHT) else policy.parts(address_of(request.scope))
