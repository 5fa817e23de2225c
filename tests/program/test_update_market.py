"""update_market: a parameter at a time, within bounds. Invariants MKT-5, MKT-7, MKT-16, RNT-5, GOV-1, GOV-8, GOV-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events, instructions
from anchor_client.generated.types.market_parameter import MarketParameter
from tests.sweeps import sampled

from .harness.actors import AUTHORITY, GUARDIAN, MARKET, STRANGER
from .harness.cluster import START
from .harness.outcome import Outcome, expect
from .harness.world import World
from .test_initialize_market import initialize

P = MarketParameter
U64_MAX = 2**64 - 1
BOUNDS = {
    P.ORDER_MIN_USD: (0, 1_000 * constants.USD),
    P.TIP_LAMPORTS: (0, 100_000_000),
    P.MIN_DURATION: (5, 86_400),
    P.MAX_DURATION: (3_600, constants.MAX_DURATION),
    P.PROVISION_TIMEOUT: (5, 43_200),
    P.OFFLINE_AFTER: (5, 43_200),
    P.ON_DEMAND_FEE_BPS: (0, constants.MAX_FEE_BPS),
    P.RESERVED_FEE_BPS: (0, constants.MAX_FEE_BPS),
    P.SPOT_FEE_BPS: (0, constants.MAX_FEE_BPS),
    P.RESERVED_DISCOUNT_BPS: (0, 5_000),
    P.HOLDBACK_BPS: (0, 5_000),
    P.FEE_BURN_BPS: (0, constants.BPS),
    P.FEE_STAKERS_BPS: (0, constants.BPS),
    P.SPOT_GRACE: (30, 3_600),
    P.SPOT_INCREMENT_BPS: (1, 5_000),
    P.PRIORITY_WINDOW: (0, 3_600),
    P.PRIORITY_STAKE: (0, U64_MAX),
    P.QUOTA_BASE: (1, 10_000),
    P.QUOTA_REGION_BASE: (1, constants.MAX_REGION_RENTALS),
    P.QUOTA_STAKE_STEP: (0, U64_MAX),
    P.QUOTA_SPEND_STEP: (0, U64_MAX),
    P.MFP_PER_POINT: (0, U64_MAX),
    P.MFP_UNLOCK_DELAY: (3_600, 604_800),
    P.MIN_RATED_SECONDS: (1, 86_400),
    P.REPUTATION_INTERVAL: (5, 604_800),
    P.EPOCH_SECONDS: (3_600, 604_800),
    P.PROPOSAL_STAKE: (0, U64_MAX),
    P.VOTING_PERIOD: (86_400, 2_592_000),
    P.TIMELOCK: (86_400, 2_592_000),
    P.QUORUM_BPS: (500, 4_000),
    P.THRESHOLD_BPS: (constants.BPS // 2, 8_000),
    P.CHARGE_WINDOW: (5, 2_592_000),
    P.HOLDBACK_WINDOW: (0, constants.MAX_DURATION),
    P.MIN_CHARGE_SECONDS: (0, 3_600),
    P.PROVISION_PROMISE: (0, 3_600),
    P.EXTEND_TOLERANCE_BPS: (0, 5_000),
    P.POST_STEP_BPS: (1, 5_000),
    P.MIN_POST_INTERVAL: (30, 3_600),
    P.ANSWER_WINDOW: (30, 3_600),
    P.ANSWER_SLOTS: (75, 9_000),
    P.FINISH_WINDOW: (60, 604_800),
    P.REPUTATION_PRIOR_USD: (constants.USD, 1_000_000 * constants.USD),
    P.CRITICAL_TIMELOCK: (691_200, 2_592_000),
    P.CRITICAL_QUORUM_BPS: (3_000, 6_000),
    P.CRITICAL_THRESHOLD_BPS: (6_667, 9_000),
    P.SUBSIDY_MAX_HOURS: (1, 3_000),
    P.SUBSIDY_DAILY_BPS: (1, 1_000),
}
FOR_TESTS = {
    P.MFP_UNLOCK_DELAY: (5, 2_592_000),
    P.EPOCH_SECONDS: (5, 2_592_000),
    P.VOTING_PERIOD: (5, 2_592_000),
    P.TIMELOCK: (0, 2_592_000),
    P.QUORUM_BPS: (1, constants.BPS),
    P.SPOT_GRACE: (1, 3_600),
    P.ANSWER_WINDOW: (1, 3_600),
    P.ANSWER_SLOTS: (1, 9_000),
    P.THRESHOLD_BPS: (constants.BPS // 2, constants.BPS),
    P.CRITICAL_TIMELOCK: (0, 2_592_000),
    P.CRITICAL_QUORUM_BPS: (1, constants.BPS),
    P.CRITICAL_THRESHOLD_BPS: (constants.BPS // 2, constants.BPS),
    P.MIN_POST_INTERVAL: (0, 3_600),
    P.SUBSIDY_DAILY_BPS: (1, constants.BPS),
}
"""Limits of parameters in a market that opened as one for tests."""


def update(world: World, parameter: MarketParameter, value: int) -> Outcome:
    return world.act(instructions.update_market(authority=AUTHORITY, parameter=parameter, value=value))


def without_cross_limits(world: World) -> World:
    """Nothing that one parameter's value says about another stands in the way."""
    for parameter, value in (
        *((P.MIN_CHARGE_SECONDS, 0), (P.MIN_DURATION, 3_600), (P.FEE_BURN_BPS, 0), (P.FEE_STAKERS_BPS, 0)),
        *((P.ON_DEMAND_FEE_BPS, constants.MAX_FEE_BPS), (P.SPOT_FEE_BPS, 0)),
        *((P.ANSWER_SLOTS, 75), (P.ANSWER_WINDOW, 3_600)),
    ):
        update(world, parameter, value)
    return world


def test_update_market__parameters__all_have_bounds() -> None:
    assert set(BOUNDS) == set(MarketParameter)


@pytest.mark.parametrize("parameter", sampled(MarketParameter, every=6))
def test_update_market__bounds__both_are_allowed(world: World, parameter: MarketParameter) -> None:
    without_cross_limits(world)
    for value in BOUNDS[parameter]:
        old, seq = getattr(world.market(), parameter.name.lower()), world.market().seq
        event = update(world, parameter, value).event(events.MarketUpdated)
        assert event == events.MarketUpdated(
            market=MARKET, parameter=parameter, old=old, new=value, at=START, seq=seq + 1
        )
        assert getattr(world.market(), parameter.name.lower()) == value


@pytest.mark.parametrize("parameter", sampled(MarketParameter, every=6))
def test_update_market__past_a_bound__is_refused(world: World, parameter: MarketParameter) -> None:
    without_cross_limits(world)
    low, high = BOUNDS[parameter]
    outside = (
        value
        for value in (low - 1, high + 1, U64_MAX, 2**32 + low)
        if 0 <= value <= U64_MAX and not low <= value <= high
    )
    for value in outside:
        with expect(errors.ParameterOutOfBounds):
            update(world, parameter, value)


def test_update_market__market_for_tests__takes_more(empty: World) -> None:
    empty.act(initialize(testing=True))
    update(empty, P.ANSWER_SLOTS, 1)
    for parameter, (low, high) in FOR_TESTS.items():
        for value in (low, high):
            update(empty, parameter, value)
        if low:
            with expect(errors.ParameterOutOfBounds):
                update(empty, parameter, low - 1)
        with expect(errors.ParameterOutOfBounds):
            update(empty, parameter, high + 1)


def test_update_market__bounds__leave_time_to_go_and_never_end_governance() -> None:
    """Whatever else is voted meanwhile: nobody can be kept in until an upgrade or a payment is done."""
    outlasts = BOUNDS[P.CRITICAL_TIMELOCK][0]
    assert outlasts > BOUNDS[P.EPOCH_SECONDS][1] and outlasts > BOUNDS[P.MFP_UNLOCK_DELAY][1]
    for parameter in (P.QUORUM_BPS, P.THRESHOLD_BPS, P.CRITICAL_QUORUM_BPS, P.CRITICAL_THRESHOLD_BPS):
        assert BOUNDS[parameter][1] < constants.BPS


def test_update_market__minimum_duration_above_maximum__is_refused(world: World) -> None:
    update(world, P.MAX_DURATION, 3_600)
    update(world, P.MIN_DURATION, 3_600)
    with expect(errors.ParameterOutOfBounds):
        update(world, P.MIN_DURATION, 3_601)


def test_update_market__least_charge_above_minimum_duration__is_refused(world: World) -> None:
    update(world, P.MIN_DURATION, 90)
    update(world, P.MIN_CHARGE_SECONDS, 90)
    with expect(errors.ParameterOutOfBounds):
        update(world, P.MIN_CHARGE_SECONDS, 91)
    with expect(errors.ParameterOutOfBounds):
        update(world, P.MIN_DURATION, 89)


def test_update_market__maximum_duration_below_minimum__is_refused(world: World) -> None:
    update(world, P.MIN_DURATION, 7_200)
    update(world, P.MAX_DURATION, 7_200)
    with expect(errors.ParameterOutOfBounds):
        update(world, P.MAX_DURATION, 7_199)


@pytest.mark.parametrize(("parameter", "value"), [(P.SPOT_FEE_BPS, 1_001), (P.ON_DEMAND_FEE_BPS, 249)])
def test_update_market__fee_on_spot_above_the_one_on_demand__is_refused(
    world: World, parameter: MarketParameter, value: int
) -> None:
    """Else a vote could make spot the dearer one."""
    with expect(errors.ParameterOutOfBounds):
        update(world, parameter, value)
    update(world, P.SPOT_FEE_BPS, 1_000)
    update(world, P.SPOT_FEE_BPS, 250)
    update(world, P.ON_DEMAND_FEE_BPS, 250)


@pytest.mark.parametrize(("parameter", "value"), [(P.ANSWER_WINDOW, 59), (P.ANSWER_SLOTS, 151)])
def test_update_market__slots_of_an_answer_that_outlast_its_seconds__are_refused(
    world: World, parameter: MarketParameter, value: int
) -> None:
    """At 400 ms a slot; a mark would be void before the slots are over, and prove nothing."""
    with expect(errors.ParameterOutOfBounds):
        update(world, parameter, value)
    update(world, P.ANSWER_WINDOW, 61)
    update(world, P.ANSWER_SLOTS, 152)
    with expect(errors.ParameterOutOfBounds):
        update(world, P.ANSWER_SLOTS, 153)


@pytest.mark.parametrize("order", [(P.FEE_BURN_BPS, P.FEE_STAKERS_BPS), (P.FEE_STAKERS_BPS, P.FEE_BURN_BPS)])
def test_update_market__fee_shares_above_the_whole__are_refused(
    world: World, order: tuple[MarketParameter, MarketParameter]
) -> None:
    first, second = order
    update(world, second, 0)
    update(world, first, 7_000)
    update(world, second, 3_000)
    with expect(errors.ParameterOutOfBounds):
        update(world, second, 3_001)


@pytest.mark.parametrize("signer", [GUARDIAN, STRANGER])
def test_update_market__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(instructions.update_market(authority=signer, parameter=P.TIP_LAMPORTS, value=1))
