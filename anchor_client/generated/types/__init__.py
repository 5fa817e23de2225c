"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from .close_reason import CloseReason
from .listing_beat import ListingBeat
from .listing_spec import ListingSpec
from .market_key import MarketKey
from .market_keys import MarketKeys
from .market_parameter import MarketParameter
from .oracle_kind import OracleKind
from .order import Order
from .pause_area import PauseArea
from .payment_mint_terms import PaymentMintTerms
from .rental_kind import RentalKind
from .rental_state import RentalState
from .request_order import RequestOrder

__all__ = [
    "CloseReason",
    "ListingBeat",
    "ListingSpec",
    "MarketKey",
    "MarketKeys",
    "MarketParameter",
    "OracleKind",
    "Order",
    "PauseArea",
    "PaymentMintTerms",
    "RentalKind",
    "RentalState",
    "RequestOrder",
]
