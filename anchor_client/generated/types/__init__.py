"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from .action import (
    Action,
    ActionAddPaymentMint,
    ActionAddRewardMint,
    ActionApproveHost,
    ActionSetGpuPoints,
    ActionSetKey,
    ActionSetParameter,
    ActionSetPaused,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    ActionUpgradeProgram,
)
from .charges import Charges
from .close_reason import CloseReason
from .listing_beat import ListingBeat
from .listing_count import ListingCount
from .listing_spec import ListingSpec
from .market_key import MarketKey
from .market_keys import MarketKeys
from .market_parameter import MarketParameter
from .oracle_kind import OracleKind
from .order import Order
from .pause_area import PauseArea
from .payment_mint_terms import PaymentMintTerms
from .pool_totals import PoolTotals
from .proposal_state import ProposalState
from .rental_issue import RentalIssue
from .rental_kind import RentalKind
from .rental_state import RentalState
from .request_order import RequestOrder
from .reward_stream import RewardStream
from .stake_state import StakeState

__all__ = [
    "Action",
    "ActionAddPaymentMint",
    "ActionAddRewardMint",
    "ActionApproveHost",
    "ActionSetGpuPoints",
    "ActionSetKey",
    "ActionSetParameter",
    "ActionSetPaused",
    "ActionTreasuryTransfer",
    "ActionUpdatePaymentMint",
    "ActionUpgradeProgram",
    "Charges",
    "CloseReason",
    "ListingBeat",
    "ListingCount",
    "ListingSpec",
    "MarketKey",
    "MarketKeys",
    "MarketParameter",
    "OracleKind",
    "Order",
    "PauseArea",
    "PaymentMintTerms",
    "PoolTotals",
    "ProposalState",
    "RentalIssue",
    "RentalKind",
    "RentalState",
    "RequestOrder",
    "RewardStream",
    "StakeState",
]
