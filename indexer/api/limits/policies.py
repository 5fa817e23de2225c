"""Rate-limit policies, by the callers that they count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from anchor_client.service.shares import eighths_of, networks_of, part_of
from indexer.settings import IndexerSettings

WINDOW_SECONDS = 10
"""Window of a rate: everything that it allows in one may come at the same moment."""
FACTORS: Final = {4: (4, 16), 6: (4, 8, 16)}
"""Multiples of an address' rate that the networks around it have, the narrowest first, whatever wallets or addresses
of them ask."""
NETWORK: Final = "network"
GIFT_SECONDS: Final = 3_600
"""Window of the faucet's gifts."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A number of requests in a window, under the name that answers tell."""

    name: str
    requests: int
    seconds: int = WINDOW_SECONDS

    @classmethod
    def of(cls, name: str, rate: float) -> Policy:
        """So many requests a second."""
        return cls(name, max(1, math.floor(rate * WINDOW_SECONDS)))

    def __str__(self) -> str:
        """As RateLimit-Policy has it."""
        return f'"{self.name}";q={self.requests};w={self.seconds}'

    def around(self, address: str) -> list[tuple[Policy, str]]:
        """The limits of the networks around an address, where its own is this."""
        networks = networks_of(address)
        factors = FACTORS[6 if ":" in "".join(networks) else 4]
        return [
            (replace(self, name=f"{self.name}-{NETWORK}", requests=self.requests * factor), network)
            for network, factor in zip(networks, factors, strict=False)
        ]

    def parts(self, address: str) -> list[tuple[Policy, str]]:
        """The parts of the networks around an address, where all clients together have this."""
        return [
            (replace(self, name=f"{self.name}-{NETWORK}", requests=part_of(self.requests, eighths)), network)
            for network, eighths in zip(networks_of(address), eighths_of(address), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Policies:
    """Those of the settings."""

    address: Policy
    wallet: Sequence[Policy]
    """Of wallets, and of those with standing."""
    node: Sequence[Policy]
    node_of_all: Policy
    sign_in: Policy
    gifts_of_all: Policy

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
            gifts_of_all=Policy("gifts-of-all", max(1, math.floor(settings.faucet_gifts)), GIFT_SECONDS),
        )
