"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class MarketParameter(IntEnum):
    """A numeric market parameter; its bounds are in [`MarketParameter::bounds`]."""

    ORDER_MIN_USD = 0
    TIP_LAMPORTS = 1
    MIN_DURATION = 2
    MAX_DURATION = 3
    PROVISION_TIMEOUT = 4
    OFFLINE_AFTER = 5
    ON_DEMAND_FEE_BPS = 6
    RESERVED_FEE_BPS = 7
    SPOT_FEE_BPS = 8
    RESERVED_DISCOUNT_BPS = 9
    HOLDBACK_BPS = 10
    FEE_BURN_BPS = 11
    FEE_STAKERS_BPS = 12
