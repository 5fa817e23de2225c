"""One price of several quotes, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anchor_client.generated.constants import BPS
from anchor_client.oracle.errors import PriceRefused, Reason
from anchor_client.oracle.judgement import FUTURE_SECONDS, Bounds, Quote, judge, median_floor, step_towards

NOW = 1_000_000
BOUNDS = Bounds(least=2, max_age=120, max_deviation_bps=200, max_change_bps=3_000)


def quotes(*prices: int, at: int = NOW) -> list[Quote]:
    return [Quote(f"s{number}", price, at) for number, price in enumerate(prices)]


def judged(*prices: int, before: int = 0) -> int:
    return judge(quotes(*prices), BOUNDS, now=NOW, before=before)[0]


def refusal(asked: list[Quote], before: int = 0, bounds: Bounds = BOUNDS) -> Reason:
    with pytest.raises(PriceRefused) as refused:
        judge(asked, bounds, now=NOW, before=before)
    assert refused.value.remedy
    return refused.value.reason


def test_judge__three_that_agree__is_the_middle_one() -> None:
    assert judged(10_000, 10_100, 9_950) == 10_000


@pytest.mark.parametrize("lie", [1, 5_000, 10_300, 20_000, 2**63])
def test_judge__one_of_three_lies__is_left_out(lie: int) -> None:
    price, believed = judge(quotes(10_000, 10_010, lie), BOUNDS, now=NOW, before=10_000)
    assert 10_000 <= price <= 10_010 and [quote.source for quote in believed] == ["s0", "s1"]


def test_judge__two_that_disagree__is_refused() -> None:
    assert refusal(quotes(10_000, 11_000)) is Reason.SOURCES


def test_judge__all_far_apart__is_refused() -> None:
    assert refusal(quotes(10_000, 12_000, 14_000)) is Reason.SOURCES


def test_judge__bounds_of_age__are_exact() -> None:
    for at in (NOW - BOUNDS.max_age, NOW + FUTURE_SECONDS):
        assert judge(quotes(5, 5, at=at), BOUNDS, now=NOW, before=0)[0] == 5
    for at in (NOW - BOUNDS.max_age - 1, NOW + FUTURE_SECONDS + 1, 0, 2**63):
        assert refusal(quotes(5, 5, at=at)) is Reason.SOURCES


def test_judge__bounds_of_deviation__are_exact() -> None:
    assert judge(quotes(10_000, 10_000, 10_200), BOUNDS, now=NOW, before=0)[1] == quotes(10_000, 10_000, 10_200)
    assert len(judge(quotes(10_000, 10_000, 10_201), BOUNDS, now=NOW, before=0)[1]) == 2


def test_judge__bounds_of_change__are_exact() -> None:
    assert judged(13_000, 13_000, before=10_000) == 13_000 and judged(7_000, 7_000, before=10_000) == 7_000
    for price in (13_001, 6_999):
        assert refusal(quotes(price, price), before=10_000) is Reason.CHANGE


def test_judge__none_or_one_of_two__is_refused() -> None:
    assert refusal([]) is refusal(quotes(5)) is refusal(quotes(0, 5)) is Reason.SOURCES


@given(st.lists(st.integers(1, 2**63), min_size=2, max_size=6), st.integers(0, 2**63))
def test_judge__whatever_is_said__a_posted_price_is_within_what_was_believed(prices: list[int], before: int) -> None:
    try:
        price, believed = judge(quotes(*prices), BOUNDS, now=NOW, before=before)
    except PriceRefused:
        return
    known = [quote.pico_usd for quote in believed]
    assert len(known) >= BOUNDS.least and min(known) <= price <= max(known)
    assert max(known) - min(known) <= 2 * median_floor(prices) * BOUNDS.max_deviation_bps // BPS
    if before:
        assert abs(price - before) * BPS <= before * BOUNDS.max_change_bps


def test_step__far_away__goes_by_steps_and_arrives() -> None:
    assert step_towards(0, 70, 500) == 70
    assert step_towards(1_000, 1_040, 500) == 1_040 and step_towards(1_000, 2_000, 500) == 1_050
    assert step_towards(1_000, 1, 500) == 950 and step_towards(3, 9, 500) == 4, "at least one"
    price = 1_000
    for _ in range(20):
        price = step_towards(price, 1_300, 500)
    assert price == 1_300
