"""Addresses in a local market, derived from its keys."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey
from spl.token.constants import WRAPPED_SOL_MINT

from local_market.keys import MarketKeyring
from local_market.terms import LocalTerms, TokenTerms


@dataclass(frozen=True, slots=True)
class Token:
    """A payment mint and its terms."""

    mint: Pubkey
    terms: TokenTerms

    def base_units(self, tokens: int) -> int:
        """`tokens` whole tokens in base units."""
        scale: int = 10**self.terms.decimals
        return tokens * scale


@dataclass(frozen=True, slots=True)
class LocalMints:
    """The three payment mints of a local market."""

    market_token: Token
    usdc: Token
    sol: Token

    @classmethod
    def of(cls, keys: MarketKeyring, terms: LocalTerms) -> LocalMints:
        """The mints of `keys`."""
        return cls(
            market_token=Token(keys.market_mint.pubkey(), terms.market_token),
            usdc=Token(keys.usdc_mint.pubkey(), terms.usdc),
            sol=Token(WRAPPED_SOL_MINT, terms.sol),
        )

    def all(self) -> tuple[Token, ...]:
        """Each of them."""
        return (self.market_token, self.usdc, self.sol)

    def by_symbol(self) -> dict[str, Pubkey]:
        """Mint addresses by symbol."""
        return {token.terms.symbol: token.mint for token in self.all()}
