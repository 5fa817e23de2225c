"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchor_idl.runtime.lazy import importer

if TYPE_CHECKING:
    from .action import Action as Action
    from .action import ActionAddPaymentMint as ActionAddPaymentMint
    from .action import ActionAddRewardMint as ActionAddRewardMint
    from .action import ActionApproveHost as ActionApproveHost
    from .action import ActionSetGpuModel as ActionSetGpuModel
    from .action import ActionSetKey as ActionSetKey
    from .action import ActionSetParameter as ActionSetParameter
    from .action import ActionSetPaused as ActionSetPaused
    from .action import ActionTreasuryTransfer as ActionTreasuryTransfer
    from .action import ActionUpdatePaymentMint as ActionUpdatePaymentMint
    from .action import ActionUpgradeProgram as ActionUpgradeProgram
    from .action import ActionWithdrawUnreserved as ActionWithdrawUnreserved
    from .charges import Charges as Charges
    from .close_reason import CloseReason as CloseReason
    from .gpu_terms import GpuTerms as GpuTerms
    from .listing_beat import ListingBeat as ListingBeat
    from .listing_count import ListingCount as ListingCount
    from .listing_spec import ListingSpec as ListingSpec
    from .market_key import MarketKey as MarketKey
    from .market_keys import MarketKeys as MarketKeys
    from .market_parameter import MarketParameter as MarketParameter
    from .oracle_kind import OracleKind as OracleKind
    from .order import Order as Order
    from .pause_area import PauseArea as PauseArea
    from .payment_mint_terms import PaymentMintTerms as PaymentMintTerms
    from .pool_totals import PoolTotals as PoolTotals
    from .proposal_state import ProposalState as ProposalState
    from .rental_issue import RentalIssue as RentalIssue
    from .rental_kind import RentalKind as RentalKind
    from .rental_state import RentalState as RentalState
    from .request_order import RequestOrder as RequestOrder
    from .reward_stream import RewardStream as RewardStream
    from .silence import Silence as Silence
    from .stake_state import StakeState as StakeState
    from .warm_up import WarmUp as WarmUp
else:
    __getattr__ = importer(
        __name__,
        [
            ("action", "Action"),
            ("action", "ActionSetParameter"),
            ("action", "ActionSetKey"),
            ("action", "ActionSetPaused"),
            ("action", "ActionApproveHost"),
            ("action", "ActionAddPaymentMint"),
            ("action", "ActionUpdatePaymentMint"),
            ("action", "ActionTreasuryTransfer"),
            ("action", "ActionUpgradeProgram"),
            ("action", "ActionAddRewardMint"),
            ("action", "ActionSetGpuModel"),
            ("action", "ActionWithdrawUnreserved"),
            ("charges", "Charges"),
            ("close_reason", "CloseReason"),
            ("gpu_terms", "GpuTerms"),
            ("listing_beat", "ListingBeat"),
            ("listing_count", "ListingCount"),
            ("listing_spec", "ListingSpec"),
            ("market_key", "MarketKey"),
            ("market_keys", "MarketKeys"),
            ("market_parameter", "MarketParameter"),
            ("oracle_kind", "OracleKind"),
            ("order", "Order"),
            ("pause_area", "PauseArea"),
            ("payment_mint_terms", "PaymentMintTerms"),
            ("pool_totals", "PoolTotals"),
            ("proposal_state", "ProposalState"),
            ("rental_issue", "RentalIssue"),
            ("rental_kind", "RentalKind"),
            ("rental_state", "RentalState"),
            ("request_order", "RequestOrder"),
            ("reward_stream", "RewardStream"),
            ("silence", "Silence"),
            ("stake_state", "StakeState"),
            ("warm_up", "WarmUp"),
        ],
    )
