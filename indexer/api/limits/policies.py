"""Rate-limit policies, by the callers that they count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.settings import IndexerSettings

WINDOW_SECONDS = 10
"""Window of a rate: everything that it allows in one may come at the same moment."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A number of requests in a window, under the name that answers tell."""

    name: str
    requests: int

    @classmethod
    def of(cls, name: str, rate: float) -> Policy:
        """So many requests a second."""
        return cls(name, max(1, math.floor(rate * WINDOW_SECONDS)))

    def __str__(self) -> str:
        """As RateLimit-Policy has it."""
        return f'"{self.name}";q={self.requests};w={WINDOW_SECONDS}'


@dataclass(frozen=True, slots=True)
class Policies:
    """Those of the settings."""

    address: Policy
    wallet: Sequence[Policy]
    """Of wallets, and of those that host or stake."""
    node: Sequence[Policy]
    node_of_all: Policy
    sign_in: Policy

    @classmethod
    def of(cls, settings: IndexerSettings) -> Policies:
        """Made once for an application."""
        factors = (1, settings.participant_factor)
        return cls(
            address=Policy.of("address", settings.requests_per_client),
            wallet=[Policy.of("wallet", settings.requests_per_wallet * factor) for factor in factors],
            node=[Policy.of("node", settings.node_requests_per_client * factor) for factor in factors],
            node_of_all=Policy.of("node-of-all", settings.node_requests),
            sign_in=Policy.of("sign-in", settings.sign_ins_per_client),
        )
