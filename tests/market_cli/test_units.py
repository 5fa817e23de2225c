"""Durations and amounts as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anchor_client.amounts import duration, tokens, usd
from market_cli import units
from market_cli.errors import BadAmount, BadDuration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3600", 3600), ("90m", 5400), ("1h30m", 5400), ("7d", 604_800), (" 2H ", 7200), ("1d2h3m4s", 93_784)],
)
def test_parse_duration__every_form__seconds(text: str, seconds: int) -> None:
    assert units.parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0h", "-1h", "1.5h", "soon", "1w", "99999999d", "²"])
def test_parse_duration__no_duration__refused(text: str) -> None:
    with pytest.raises(BadDuration):
        units.parse_duration(text)


@pytest.mark.parametrize(
    ("text", "units_of_it"),
    [
        ("1,000.5", 1_000_500_000),
        ("12_345,678", 12_345_678_000_000),
        (" 2.50 ", 2_500_000),
        ("1e3", 10**9),
        (".5", 500_000),
    ],
)
def test_base_units__grouped_or_in_short__is_read(text: str, units_of_it: int) -> None:
    assert units.base_units(text, 6) == units_of_it


NO_AMOUNTS = [
    "",
    "-1",
    "1e400",
    "nan",
    "infinity",
    "0.0000001",
    "ten",
    "2,50",
    "1,5",
    "1_0",
    ",5",
    "1,,000",
    "1.5,000",
    "\u0661",
    "+1",
    ".",
]


@pytest.mark.parametrize("text", NO_AMOUNTS)
def test_base_units__no_amount__refused(text: str) -> None:
    with pytest.raises(BadAmount):
        units.base_units(text, 6)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=2**64 - 1), st.integers(min_value=0, max_value=18))
def test_tokens__any_amount__reads_back_to_the_base_unit(amount: int, decimals: int) -> None:
    assert units.base_units(tokens(amount, decimals), decimals) == amount


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_usd__any_price__reads_back(price: int) -> None:
    assert units.micro_usd(usd(price)) == price


@pytest.mark.parametrize(("seconds", "text"), [(0, "0 s"), (59, "59 s"), (3600, "1 h"), (5430, "1 h 30 min")])
def test_duration__seconds__as_people_say(seconds: int, text: str) -> None:
    assert duration(seconds) == text
