"""Context and limits of the checks."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.deploy.binary import Binary
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.market import Market


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of the checks; times in seconds."""

    clock_skew: float = 30.0
    slot_seconds: float = 1.0
    overdue: int = 600
    keeper_lamports: int = LAMPORTS_PER_SOL // 10
    price_age_bps: int = 5_000
    """Share of its longest age at which a price is soon too old."""
    certificate_seconds: int = 14 * 86_400


@dataclass(frozen=True, slots=True)
class Context:
    """A market, and data about it from outside the chain."""

    market: Market
    account: MarketAccount
    now: int
    """The cluster's time, unix seconds."""
    slot: int
    binary: Binary | None = None
    """The code that the program should be."""
    api_url: str | None = None
    keeper: Pubkey | None = None
    tls_server: str | None = None
    """Name, and port unless it is 443, of the server whose certificate is examined."""
    limits: Thresholds = Thresholds()

    @property
    def program(self) -> Pubkey:
        """The market's program."""
        return self.market.program_id
