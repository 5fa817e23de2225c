"""Symbols of the tokens that every market has a name for."""

from __future__ import annotations

from typing import Final

MARKET_TOKEN: Final = "GPUM"
SOL: Final = "SOL"
USDC: Final = "USDC"
