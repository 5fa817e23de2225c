"""Tokens that a market takes, by their symbols, and the accounts that the program pays into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import UnknownPaymentToken
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, associated_token_bump
from anchor_client.symbols import SOL, USDC

USDC_MAINNET: Final = Pubkey.from_string("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")


def payout_account(owner: Pubkey, mint: Pubkey) -> Pubkey:
    """Account that the program pays an owner into, whoever calls: for SOL the wallet, else the associated account."""
    return owner if mint == NATIVE_MINT else associated_token(owner, mint)


def payout_bump(owner: Pubkey, mint: Pubkey) -> int:
    """The bump of the associated account; it saves the program's looking for it."""
    return associated_token_bump(owner, mint)


class PaymentTokens:
    """Symbols of payment mints. SOL stands for wrapped SOL, which the client wraps and unwraps itself."""

    def __init__(self, mints: Mapping[str, Pubkey] | None = None) -> None:
        """`mints` by symbol, in addition to SOL and mainnet's USDC, which it may replace."""
        known = {SOL: NATIVE_MINT, USDC: USDC_MAINNET}
        self._mints = known | {symbol.upper(): mint for symbol, mint in (mints or {}).items()}

    def __iter__(self) -> Iterator[tuple[str, Pubkey]]:
        return iter(self._mints.items())

    def with_token(self, symbol: str, mint: Pubkey) -> PaymentTokens:
        """The same registry and one more symbol."""
        return PaymentTokens(self._mints | {symbol.upper(): mint})

    def mint(self, token: str | Pubkey) -> Pubkey:
        """The mint of a symbol or of an address as text. UnknownPaymentToken."""
        if isinstance(token, Pubkey):
            return token
        mint = self._mints.get(token.upper())
        if mint is not None:
            return mint
        try:
            return Pubkey.from_string(token)
        except ValueError:
            raise UnknownPaymentToken(token, self._mints) from None

    def symbol(self, mint: Pubkey) -> str:
        """The symbol of a mint, or its address where it has none."""
        return next((symbol for symbol, known in self._mints.items() if known == mint), str(mint))

    def wraps(self, token: str | Pubkey) -> bool:
        """True where paying in this token means wrapping SOL: for the symbol, not for the mint's address."""
        return isinstance(token, str) and token.upper() == SOL
