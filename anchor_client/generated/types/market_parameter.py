"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class MarketParameter(IntEnum):
    """A numeric market parameter, of the same name as its field of the Market."""

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
    SPOT_GRACE = 13
    SPOT_INCREMENT_BPS = 14
    PRIORITY_WINDOW = 15
    PRIORITY_STAKE = 16
    QUOTA_BASE = 17
    QUOTA_REGION_BASE = 18
    QUOTA_STAKE_STEP = 19
    QUOTA_SPEND_STEP = 20
    MFP_PER_POINT = 21
    MFP_UNLOCK_DELAY = 22
    MIN_RATED_SECONDS = 23
    REPUTATION_INTERVAL = 24
    EPOCH_SECONDS = 25
    PROPOSAL_STAKE = 26
    VOTING_PERIOD = 27
    TIMELOCK = 28
    QUORUM_BPS = 29
    THRESHOLD_BPS = 30
    CHARGE_WINDOW = 31
    HOLDBACK_WINDOW = 32
    MIN_CHARGE_SECONDS = 33
    PROVISION_PROMISE = 34
    EXTEND_TOLERANCE_BPS = 35
    POST_STEP_BPS = 36
    MIN_POST_INTERVAL = 37
    ANSWER_WINDOW = 38
    ANSWER_SLOTS = 39
    FINISH_WINDOW = 40
    REPUTATION_PRIOR_USD = 41
