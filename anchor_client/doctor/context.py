"""Context of the checks."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.deploy.binary import Binary
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.market import Market


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

    @property
    def program(self) -> Pubkey:
        """The market's program."""
        return self.market.program_id
