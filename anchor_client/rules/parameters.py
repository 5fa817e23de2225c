"""Bounds and defaults of the market's parameters: twin of `programs/gpu_market/src/state/parameters.rs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from anchor_client.generated.constants import BPS, MAX_DURATION, MAX_FEE_BPS, MAX_REGION_RENTALS, USD
from anchor_client.generated.types.market_parameter import MarketParameter

MAX_U64: Final = 2**64 - 1
SLOWEST_SLOT_MS: Final = 400
"""Milliseconds of the slowest slots that the terms of an answer are made for."""


class Unit(StrEnum):
    """Unit of a parameter's value."""

    MICRO_USD = "micro-USD"
    LAMPORTS = "lamports"
    SECONDS = "seconds"
    HOURS = "hours"
    SLOTS = "slots"
    SHARE = "basis points"
    TOKENS = "base units of the market token"
    RENTALS = "rentals"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its unit, its value when a market opens, and the values that it may have, both ends included.

    The default of an amount of tokens is in whole tokens.
    """

    parameter: MarketParameter
    unit: Unit
    default: int
    bounds: tuple[int, int]
    testing_bounds: tuple[int, int]

    @property
    def name(self) -> str:
        """The parameter's name, which is its field of the Market's."""
        return self.parameter.name.lower()

    def allowed(self, *, testing: bool) -> tuple[int, int]:
        """The least and the most that it may be."""
        return self.testing_bounds if testing else self.bounds

    def opens_with(self, unit: int) -> int:
        """Its value when a market opens; `unit` base units are a whole market token."""
        if self.unit is Unit.TOKENS:
            return min(self.default * unit, MAX_U64)
        return self.default


def _row(
    parameter: MarketParameter,
    unit: Unit,
    default: int,
    bounds: tuple[int, int],
    testing: tuple[int, int] | None = None,
) -> Parameter:
    return Parameter(parameter, unit, default, bounds, testing or bounds)


PARAMETERS: Final = (
    _row(MarketParameter.ORDER_MIN_USD, Unit.MICRO_USD, 5 * USD, (0, 1_000 * USD)),
    _row(MarketParameter.TIP_LAMPORTS, Unit.LAMPORTS, 20_000, (0, 100_000_000)),
    _row(MarketParameter.MIN_DURATION, Unit.SECONDS, 21_600, (5, 86_400)),
    _row(MarketParameter.MAX_DURATION, Unit.SECONDS, MAX_DURATION, (3_600, MAX_DURATION)),
    _row(MarketParameter.PROVISION_TIMEOUT, Unit.SECONDS, 900, (5, 43_200)),
    _row(MarketParameter.OFFLINE_AFTER, Unit.SECONDS, 1_800, (5, 43_200)),
    _row(MarketParameter.ON_DEMAND_FEE_BPS, Unit.SHARE, 1_000, (0, MAX_FEE_BPS)),
    _row(MarketParameter.RESERVED_FEE_BPS, Unit.SHARE, 1_000, (0, MAX_FEE_BPS)),
    _row(MarketParameter.SPOT_FEE_BPS, Unit.SHARE, 250, (0, MAX_FEE_BPS)),
    _row(MarketParameter.RESERVED_DISCOUNT_BPS, Unit.SHARE, 1_000, (0, 5_000)),
    _row(MarketParameter.HOLDBACK_BPS, Unit.SHARE, 1_000, (0, 5_000)),
    _row(MarketParameter.FEE_BURN_BPS, Unit.SHARE, 2_000, (0, BPS)),
    _row(MarketParameter.FEE_STAKERS_BPS, Unit.SHARE, 5_000, (0, BPS)),
    _row(MarketParameter.SPOT_GRACE, Unit.SECONDS, 90, (30, 3_600), (1, 3_600)),
    _row(MarketParameter.SPOT_INCREMENT_BPS, Unit.SHARE, 500, (1, 5_000)),
    _row(MarketParameter.PRIORITY_WINDOW, Unit.SECONDS, 30, (0, 3_600)),
    _row(MarketParameter.PRIORITY_STAKE, Unit.TOKENS, 100_000, (0, MAX_U64)),
    _row(MarketParameter.QUOTA_BASE, Unit.RENTALS, 20, (1, 10_000)),
    _row(MarketParameter.QUOTA_REGION_BASE, Unit.RENTALS, 10, (1, MAX_REGION_RENTALS)),
    _row(MarketParameter.QUOTA_STAKE_STEP, Unit.TOKENS, 10_000, (0, MAX_U64)),
    _row(MarketParameter.QUOTA_SPEND_STEP, Unit.MICRO_USD, 500 * USD, (0, MAX_U64)),
    _row(MarketParameter.MFP_PER_POINT, Unit.TOKENS, 1_000, (0, MAX_U64)),
    _row(MarketParameter.MFP_UNLOCK_DELAY, Unit.SECONDS, 604_800, (3_600, 604_800), (5, 2_592_000)),
    _row(MarketParameter.MIN_RATED_SECONDS, Unit.SECONDS, 600, (1, 86_400)),
    _row(MarketParameter.REPUTATION_INTERVAL, Unit.SECONDS, 86_400, (5, 604_800)),
    _row(MarketParameter.EPOCH_SECONDS, Unit.SECONDS, 86_400, (3_600, 604_800), (5, 2_592_000)),
    _row(MarketParameter.PROPOSAL_STAKE, Unit.TOKENS, 100_000, (0, MAX_U64)),
    _row(MarketParameter.VOTING_PERIOD, Unit.SECONDS, 259_200, (86_400, 2_592_000), (5, 2_592_000)),
    _row(MarketParameter.TIMELOCK, Unit.SECONDS, 86_400, (86_400, 2_592_000), (0, 2_592_000)),
    _row(MarketParameter.QUORUM_BPS, Unit.SHARE, 1_000, (500, 4_000), (1, BPS)),
    _row(MarketParameter.THRESHOLD_BPS, Unit.SHARE, 6_000, (BPS // 2, 8_000), (BPS // 2, BPS)),
    _row(MarketParameter.CHARGE_WINDOW, Unit.SECONDS, 86_400, (5, 2_592_000)),
    _row(MarketParameter.HOLDBACK_WINDOW, Unit.SECONDS, 86_400, (0, MAX_DURATION)),
    _row(MarketParameter.MIN_CHARGE_SECONDS, Unit.SECONDS, 60, (0, 3_600)),
    _row(MarketParameter.PROVISION_PROMISE, Unit.SECONDS, 120, (0, 3_600)),
    _row(MarketParameter.EXTEND_TOLERANCE_BPS, Unit.SHARE, 1_000, (0, 5_000)),
    _row(MarketParameter.POST_STEP_BPS, Unit.SHARE, 500, (1, 5_000)),
    _row(MarketParameter.MIN_POST_INTERVAL, Unit.SECONDS, 60, (30, 3_600), (0, 3_600)),
    _row(MarketParameter.ANSWER_WINDOW, Unit.SECONDS, 60, (30, 3_600), (1, 3_600)),
    _row(MarketParameter.ANSWER_SLOTS, Unit.SLOTS, 150, (75, 9_000), (1, 9_000)),
    _row(MarketParameter.FINISH_WINDOW, Unit.SECONDS, 86_400, (60, 604_800)),
    _row(MarketParameter.REPUTATION_PRIOR_USD, Unit.MICRO_USD, 1_000 * USD, (USD, 1_000_000 * USD)),
    _row(MarketParameter.CRITICAL_TIMELOCK, Unit.SECONDS, 691_200, (691_200, 2_592_000), (0, 2_592_000)),
    _row(MarketParameter.CRITICAL_QUORUM_BPS, Unit.SHARE, 3_000, (3_000, 6_000), (1, BPS)),
    _row(MarketParameter.CRITICAL_THRESHOLD_BPS, Unit.SHARE, 6_667, (6_667, 9_000), (BPS // 2, BPS)),
    _row(MarketParameter.SUBSIDY_MAX_HOURS, Unit.HOURS, 24, (1, 3_000)),
    _row(MarketParameter.SUBSIDY_DAILY_BPS, Unit.SHARE, 1_000, (1, 1_000), (1, BPS)),
)
BY_NAME: Final = {each.name: each for each in PARAMETERS}


def problem(values: Mapping[MarketParameter, int], *, testing: bool) -> str | None:
    """Why the program would refuse a market with these values, which are all of them; None if it would not."""
    for each in PARAMETERS:
        least, most = each.allowed(testing=testing)
        value = values[each.parameter]
        if not least <= value <= most:
            return f"{each.name} is {value}; it must be from {least} to {most}"
    return _disagreement(values)


def _disagreement(values: Mapping[MarketParameter, int]) -> str | None:
    if values[MarketParameter.MIN_DURATION] > values[MarketParameter.MAX_DURATION]:
        return "min_duration is more than max_duration"
    if values[MarketParameter.MIN_CHARGE_SECONDS] > values[MarketParameter.MIN_DURATION]:
        return "min_charge_seconds is more than min_duration"
    if values[MarketParameter.FEE_BURN_BPS] + values[MarketParameter.FEE_STAKERS_BPS] > BPS:
        return "fee_burn_bps and fee_stakers_bps exceed 100 % together"
    if values[MarketParameter.SPOT_FEE_BPS] > values[MarketParameter.ON_DEMAND_FEE_BPS]:
        return "spot_fee_bps is more than on_demand_fee_bps"
    if values[MarketParameter.ANSWER_SLOTS] * SLOWEST_SLOT_MS > values[MarketParameter.ANSWER_WINDOW] * 1_000:
        return f"answer_slots, at {SLOWEST_SLOT_MS} ms each, last longer than answer_window"
    return None


def in_order(old: Mapping[MarketParameter, int], new: Mapping[MarketParameter, int]) -> list[MarketParameter]:
    """The changes from `old` to `new` in an order in which the program takes each; `new` has no problem."""
    values = dict(old)
    left = [each for each in new if old[each] != new[each]]
    found: list[MarketParameter] = []
    while left:
        taken = next(each for each in left if _disagreement(values | {each: new[each]}) is None)
        values[taken] = new[taken]
        left.remove(taken)
        found.append(taken)
    return found
