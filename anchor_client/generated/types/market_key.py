"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class MarketKey(IntEnum):
    """A key of the market that its authority may replace."""

    GUARDIAN = 0
    TREASURY = 1
