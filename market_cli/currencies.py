"""Amounts of the market's payment mints, with their symbols and decimals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.amounts import tokens
from anchor_client.errors import UnknownPaymentToken
from anchor_client.generated.accounts import PaymentMint
from anchor_client.market import MarketReader
from anchor_client.tokens import PaymentTokens
from market_cli.units import base_units


@dataclass(frozen=True, slots=True)
class Currencies:
    """Every payment mint of the market, by address."""

    symbols: PaymentTokens
    payment_mints: Mapping[Pubkey, PaymentMint]

    @classmethod
    async def read(cls, reads: MarketReader) -> Currencies:
        """What the chain says now."""
        mints = await reads.payment_mints()
        return cls(await reads.tokens(), {payment_mint.mint: payment_mint for payment_mint in mints.values()})

    def payment_mint(self, token: str) -> PaymentMint:
        """The payment mint of a symbol or address. UnknownPaymentToken."""
        mint = self.symbols.mint(token)
        known = self.payment_mints.get(mint)
        if known is None:
            raise UnknownPaymentToken(token, [self.symbol(mint) for mint in self.payment_mints])
        return known

    def symbol(self, mint: Pubkey) -> str:
        """A mint's symbol, or its address without one."""
        return self.symbols.symbol(mint)

    def decimals(self, mint: Pubkey) -> int:
        """Decimals of a mint; 0 for one that the market does not know."""
        payment_mint = self.payment_mints.get(mint)
        return payment_mint.decimals if payment_mint is not None else 0

    def say(self, mint: Pubkey, amount: int) -> str:
        """An amount for people."""
        return tokens(amount, self.decimals(mint), self.symbol(mint))

    def base_units(self, mint: Pubkey, text: str) -> int:
        """An amount from people. BadAmount."""
        return base_units(text, self.decimals(mint))
