"""Dollars beside amounts of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, usd
from anchor_client.errors import GpuMarketError
from anchor_client.rules.hourly import PayableToken
from market_cli.session import CliSession

CENT: Final = 10_000
"""Micro-USD."""


def cents(micro_usd: int) -> str:
    """Dollars, whole cents rounded down; less than a cent in full."""
    if micro_usd >= CENT:
        micro_usd -= micro_usd % CENT
    return usd(micro_usd)


@dataclass(frozen=True, slots=True)
class Worth:
    """Prices of tokens that orders placed now are quoted by."""

    tokens: Mapping[Pubkey | str, PayableToken] = field(default_factory=dict)

    def micro_usd(self, mint: Pubkey, base_units: int) -> int | None:
        """Value of an amount, rounded down; None while its token has no price."""
        token = self.tokens.get(mint)
        if token is None:
            return None
        return token.usd_floor(base_units)

    def beside(self, mint: Pubkey, base_units: int) -> str:
        """The dollars to put behind an amount: ` ($1.20)`; empty for nothing, and while there is no price."""
        worth = self.micro_usd(mint, base_units)
        if not base_units or worth is None:
            return ""
        return f" ({cents(worth)})"

    def say(self, token: Denomination, mint: Pubkey, base_units: int) -> str:
        """An amount with its dollars."""
        return token.say(base_units) + self.beside(mint, base_units)

    def total(self, amounts: Iterable[tuple[Pubkey, int]]) -> int | None:
        """Value of amounts of several tokens; None unless all have a price."""
        values = [self.micro_usd(mint, units) for mint, units in amounts if units]
        if None in values:
            return None
        return sum(filter(None, values))


NO_WORTH: Final = Worth()


async def read_worth(session: CliSession) -> Worth:
    """Prices now. None are known for JSON, which has amounts alone, or where they cannot be read: what a command has
    done is told in any case."""
    if session.out.as_json:
        return NO_WORTH
    with suppress(GpuMarketError, OSError):
        pricing = await session.market.pricing()
        return Worth({token.mint: token for token in pricing.tokens if token.is_priced})
    return NO_WORTH
