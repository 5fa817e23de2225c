"""Amounts of tokens as people say them. Money is never a float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SOL_DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class Denomination:
    """In what amounts of a mint are said."""

    symbol: str
    decimals: int

    def say(self, base_units: int) -> str:
        """Base units as tokens: `13.8 GPUM`."""
        return tokens(base_units, self.decimals, self.symbol)


def tokens(base_units: int, decimals: int, symbol: str = "") -> str:
    """Base units as an exact decimal number of tokens."""
    sign = "-" if base_units < 0 else ""
    whole, part = divmod(abs(base_units), 10**decimals)
    fraction = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    number = f"{sign}{whole:,}.{fraction}" if fraction else f"{sign}{whole:,}"
    return f"{number} {symbol}".strip()
