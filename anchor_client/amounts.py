"""Amounts of tokens, dollars and time as text. Money is never a float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from anchor_client.generated.constants import USD

SOL_DECIMALS: Final = 9
LAMPORTS_PER_SOL: Final = 10**SOL_DECIMALS


@dataclass(frozen=True, slots=True)
class Denomination:
    """Display of amounts of a mint: its symbol and decimals."""

    symbol: str
    decimals: int

    def say(self, base_units: int) -> str:
        """Base units as tokens: `13.8 GPUM`."""
        return tokens(base_units, self.decimals, self.symbol)


def tokens(base_units: int, decimals: int, symbol: str = "") -> str:
    """Base units as an exact decimal number of tokens."""
    sign = "-" if base_units < 0 else ""
    whole, part = divmod(abs(base_units), 10**decimals)
    number = f"{sign}{whole:,}"
    if part:
        number += "." + f"{part:0{decimals}d}".rstrip("0")
    return f"{number} {symbol}".strip()


def sol(lamports: int) -> str:
    """Lamports as SOL: `0.00001 SOL`."""
    return tokens(lamports, SOL_DECIMALS, "SOL")


def exact_usd(micro_usd: int) -> str:
    """Micro-USD as dollars with all six decimals, for programs: `2.760000`."""
    return f"{micro_usd // USD}.{micro_usd % USD:06d}"


def usd(micro_usd: int) -> str:
    """Micro-USD as dollars, to the cent or as far as needed: `$2.76`."""
    whole, part = divmod(micro_usd, USD)
    fraction = f"{part:06d}".rstrip("0").ljust(2, "0")
    return f"${whole:,}.{fraction}"


def duration(seconds: int) -> str:
    """Seconds as people say them, such as 1 h 30 min."""
    parts = []
    for name, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"
