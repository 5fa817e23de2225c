"""Decisions of an authority: as the action of a proposal, or signed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, instructions
from anchor_client.generated.pdas import find_host, find_payment_mint
from anchor_client.generated.types.action import (
    Action,
    ActionAddPaymentMint,
    ActionAddRewardMint,
    ActionApproveHost,
    ActionSetGpuModel,
    ActionSetKey,
    ActionSetParameter,
    ActionSetPaused,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    ActionWithdrawUnreserved,
)
from anchor_client.generated.types.gpu_terms import GpuTerms
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter as P
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms

from ..harness.actors import AUTHORITY, GPUM, GUARDIAN, KEEPER, MINTS, RENTER, TREASURY, USDC
from ..harness.changes import TERMS, withdraw_unreserved
from ..harness.governance import GOVERNANCE
from ..harness.staking import add_reward_mint
from ..harness.terms import DAY, HOUR, REFERENCE_USD, SUBSIDY_BUDGET, USDC_TERMS
from .base import HOSTS, NOVELTY, Refusals

PARAMETERS = {
    P.ORDER_MIN_USD: (0, 10_000_000),
    P.TIP_LAMPORTS: (0, 1_000_000),
    P.MIN_DURATION: (5, HOUR),
    P.MAX_DURATION: (HOUR, 100 * DAY),
    P.PROVISION_TIMEOUT: (5, 2_000),
    P.MIN_CHARGE_SECONDS: (0, 120),
    P.PROVISION_PROMISE: (0, 1_000),
    P.OFFLINE_AFTER: (5, 2_000),
    P.ON_DEMAND_FEE_BPS: (0, 3_000),
    P.RESERVED_FEE_BPS: (0, 3_000),
    P.SPOT_FEE_BPS: (0, 3_000),
    P.RESERVED_DISCOUNT_BPS: (0, 5_000),
    P.HOLDBACK_BPS: (0, 5_000),
    P.FEE_BURN_BPS: (0, 5_000),
    P.FEE_STAKERS_BPS: (0, 5_000),
    P.SPOT_GRACE: (30, 3_600),
    P.SPOT_INCREMENT_BPS: (1, 5_000),
    P.PRIORITY_WINDOW: (0, 3_600),
    P.PRIORITY_STAKE: (0, 10**12),
    P.QUOTA_BASE: (1, 20),
    P.QUOTA_REGION_BASE: (1, 20),
    P.QUOTA_STAKE_STEP: (0, 10**12),
    P.QUOTA_SPEND_STEP: (0, 10**9),
    P.MFP_PER_POINT: (0, 10**10),
    P.MFP_UNLOCK_DELAY: (HOUR, 7 * DAY),
    P.MIN_RATED_SECONDS: (1, 2 * HOUR),
    P.REPUTATION_INTERVAL: (5, 2 * DAY),
    P.EPOCH_SECONDS: (HOUR, 3 * DAY),
    P.PROPOSAL_STAKE: (0, 2**64 - 1),
    P.VOTING_PERIOD: (DAY, 4 * DAY),
    P.TIMELOCK: (DAY, 2 * DAY),
    P.QUORUM_BPS: (500, 4_000),
    P.THRESHOLD_BPS: (constants.BPS // 2, 8_000),
    P.CHARGE_WINDOW: (5, 3 * DAY),
    P.HOLDBACK_WINDOW: (0, 3 * DAY),
    P.EXTEND_TOLERANCE_BPS: (0, 5_000),
    P.POST_STEP_BPS: (1, 5_000),
    P.MIN_POST_INTERVAL: (30, 3_600),
    P.ANSWER_WINDOW: (30, 600),
    P.ANSWER_SLOTS: (75, 3_000),
    P.FINISH_WINDOW: (60, 2 * DAY),
    P.REPUTATION_PRIOR_USD: (constants.USD, 2_000 * constants.USD),
    P.CRITICAL_TIMELOCK: (8 * DAY, 9 * DAY),
    P.CRITICAL_QUORUM_BPS: (3_000, 6_000),
    P.CRITICAL_THRESHOLD_BPS: (6_667, 9_000),
    P.SUBSIDY_MAX_HOURS: (1, 48),
    P.SUBSIDY_DAILY_BPS: (1, 1_000),
}
UNDECIDED: Refusals = (
    errors.ParameterOutOfBounds,
    errors.RewardMintExists,
    errors.TooManyRewardMints,
    errors.InsufficientFunds,
    errors.SubsidyPoolTooSmall,
)
"""Why a decision may be refused, whoever makes it."""


def _some_parameter(parameter: P, part: int) -> Action:
    low, high = PARAMETERS[parameter]
    return ActionSetParameter(parameter, low + (high - low) * part // constants.BPS)


def _terms(mint: Pubkey, **changes: Any) -> Action:
    return ActionUpdatePaymentMint(find_payment_mint(mint)[0], replace(TERMS[mint], **changes))


actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(_some_parameter, st.sampled_from(sorted(PARAMETERS)), st.integers(0, constants.BPS)),
    st.builds(
        _terms,
        st.just(GPUM),
        subsidy_bps=st.integers(0, 8_500),
        burn_bps=st.integers(0, 5_000),
        pinned_price=st.integers(10**9, 10**14),
    ),
    st.builds(
        _terms,
        st.just(USDC),
        extra_fee_bps=st.integers(0, 3_000),
        pinned_price=st.integers(10**11, 10**13),
        shards=st.sampled_from([1, 2]),
        enabled=st.sampled_from([True, True, True, False]),
    ),
    st.builds(ActionSetPaused, st.sampled_from(PauseArea), st.sampled_from([False, False, True])),
    st.builds(
        ActionApproveHost,
        st.sampled_from([find_host(host)[0] for host in HOSTS]),
        st.sampled_from([True, True, False]),
        st.sampled_from([0, 10**8, 10**10, SUBSIDY_BUDGET]),
    ),
    st.one_of(
        st.builds(ActionSetKey, st.just(MarketKey.TREASURY), st.sampled_from([TREASURY, GOVERNANCE])),
        st.builds(ActionSetKey, st.just(MarketKey.GUARDIAN), st.sampled_from([GUARDIAN, KEEPER])),
    ),
    st.builds(
        ActionSetGpuModel,
        st.sampled_from([1, 2]),
        st.builds(GpuTerms, st.integers(0, 500), st.sampled_from([0, 1_000_000, REFERENCE_USD])),
    ),
    st.builds(ActionWithdrawUnreserved, st.just(GPUM), st.sampled_from([0, 1]), st.integers(1, 10**12)),
    st.just(ActionAddPaymentMint(NOVELTY, USDC_TERMS)),
    st.just(ActionAddRewardMint(NOVELTY)),
)
"""Decisions that the market's authority may make."""

transfers: st.SearchStrategy[Action] = st.builds(
    ActionTreasuryTransfer, st.sampled_from(MINTS), st.sampled_from([RENTER, TREASURY]), st.integers(1, 10**12)
)


def signed(action: Action) -> Instruction:
    """The decision as the authority signs it."""
    match action:
        case ActionSetParameter(parameter=parameter, value=value):
            return instructions.update_market(authority=AUTHORITY, parameter=parameter, value=value)
        case ActionSetKey(key=key, new=new):
            return instructions.update_market_key(authority=AUTHORITY, key=key, new=new)
        case ActionSetPaused(area=area, paused=paused):
            return instructions.set_paused(caller=AUTHORITY, area=area, paused=paused)
        case ActionApproveHost(host=host, approved=approved, subsidy_budget=budget):
            return instructions.approve_host(authority=AUTHORITY, host=host, approved=approved, subsidy_budget=budget)
        case ActionAddPaymentMint(mint=mint, terms=terms):
            return instructions.add_payment_mint(authority=AUTHORITY, mint=mint, terms=terms)
        case ActionUpdatePaymentMint(payment_mint=payment_mint, terms=terms):
            return _update(payment_mint, terms)
        case ActionWithdrawUnreserved(mint=mint, shard=shard, amount=amount):
            return withdraw_unreserved(amount, mint, shard)
        case ActionAddRewardMint(mint=mint):
            return add_reward_mint(mint)
        case ActionSetGpuModel(number=number, terms=terms):
            return instructions.set_gpu_model(authority=AUTHORITY, number=number, terms=terms)
        case _:
            raise TypeError(f"{type(action).__name__} is for stakers alone")


def _update(payment_mint: Pubkey, terms: PaymentMintTerms) -> Instruction:
    return instructions.update_payment_mint(authority=AUTHORITY, payment_mint=payment_mint, terms=terms)
