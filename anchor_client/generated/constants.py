"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ANY_REGION",
    "BPS",
    "HOLDING_TOKENS",
    "MAX_BURN_BPS",
    "MAX_CONNECTION_BYTES",
    "MAX_DURATION",
    "MAX_FEE_BPS",
    "MAX_HOLDING_DISCOUNT_BPS",
    "MAX_REGIONS",
    "MAX_REGION_RENTALS",
    "MAX_REQUEST_SECONDS",
    "MAX_SHARDS",
    "MAX_SUBSIDY_BPS",
    "PICO_PER_MICRO",
    "SECONDS_PER_HOUR",
    "USD",
]

ANY_REGION: Final[int] = 255

BPS: Final[int] = 10000

HOLDING_TOKENS: Final[int] = 2000000

MAX_BURN_BPS: Final[int] = 5000

MAX_CONNECTION_BYTES: Final[int] = 640

MAX_DURATION: Final[int] = 10800000

MAX_FEE_BPS: Final[int] = 3000

MAX_HOLDING_DISCOUNT_BPS: Final[int] = 5000

MAX_REGIONS: Final[int] = 64

MAX_REGION_RENTALS: Final[int] = 250

MAX_REQUEST_SECONDS: Final[int] = 2592000

MAX_SHARDS: Final[int] = 64

MAX_SUBSIDY_BPS: Final[int] = 8500

PICO_PER_MICRO: Final[int] = 1000000

SECONDS_PER_HOUR: Final[int] = 3600

USD: Final[int] = 1000000
