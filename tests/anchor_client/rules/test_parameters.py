"""Bounds and defaults of parameters are the program's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anchor_client.generated import constants
from anchor_client.generated.types import MarketParameter
from anchor_client.rules.parameters import MAX_U64, PARAMETERS, in_order, problem

SOURCE = Path(__file__).parents[3] / "programs/gpu_market/src/state/parameters.rs"
ROW = re.compile(r"^    \w+: (\w+) = (.*?), in (.*?)\.\.=(.*?)(?:, testing (.*?)\.\.=(.*?))?;$", re.MULTILINE)
DEFAULTS = {each.parameter: each.opens_with(10**6) for each in PARAMETERS}


def value(text: str) -> int:
    """A constant expression of Rust."""
    known = {name: getattr(constants, name) for name in constants.__all__}
    python = text.replace(" as u64", "").replace("u64::MAX", str(MAX_U64)).replace("/", "//")
    return int(eval(python, {}, known))


def test_parameters__each__has_the_programs_default_and_bounds() -> None:
    rows = ROW.findall(SOURCE.read_text())
    assert [each.name for each in PARAMETERS] == [row[0] for row in rows]
    for each, (_, default, least, most, test_least, test_most) in zip(PARAMETERS, rows, strict=True):
        bounds = value(least), value(most)
        testing = (value(test_least), value(test_most)) if test_least else bounds
        assert (each.default, each.bounds, each.testing_bounds) == (value(default), bounds, testing), each.name


def test_problem__defaults__have_none() -> None:
    assert problem(DEFAULTS, testing=False) is None


@pytest.mark.parametrize("old", [{"FEE_BURN_BPS": 9_000, "FEE_STAKERS_BPS": 1_000}, {"MIN_DURATION": 5}])
def test_in_order__changes__never_pass_what_the_program_refuses(old: dict[str, int]) -> None:
    before = DEFAULTS | {MarketParameter[name]: number for name, number in old.items()}
    after = DEFAULTS | {
        MarketParameter.MIN_CHARGE_SECONDS: 3_600,
        MarketParameter.FEE_BURN_BPS: 1_000,
        MarketParameter.FEE_STAKERS_BPS: 9_000,
    }
    values = before | {MarketParameter.MIN_CHARGE_SECONDS: 5}
    for each in in_order(values, after):
        values |= {each: after[each]}
        assert problem(values, testing=False) is None
    assert values == after
