"""Figures and their targets."""

from __future__ import annotations

import pytest

from benchmarks.figures import Figure, FigureTarget, at_least, at_most, below
from benchmarks.percentiles import percentile


@pytest.mark.parametrize(
    ("target", "met"),
    [(at_most(10), (True, True, False)), (below(10), (True, False, False)), (at_least(10), (False, True, True))],
)
def test_target__around_its_bound__is_met_on_the_right_side(target: FigureTarget, met: tuple[bool, ...]) -> None:
    assert tuple(target.met_by(value) for value in (9, 10, 11)) == met


def test_figure__without_a_target__is_neither_met_nor_missed() -> None:
    assert Figure("memory", 1, "MB").met is None


@pytest.mark.parametrize(("percent", "value"), [(1, 1), (50, 50), (99, 99), (100, 100)])
def test_percentile__hundred_values__is_the_one_at_that_rank(percent: int, value: int) -> None:
    assert percentile(list(range(100, 0, -1)), percent) == value


def test_percentile__few_values__is_one_of_them() -> None:
    assert [percentile([3.0, 1.0], percent) for percent in (50, 51)] == [1.0, 3.0]


def test_percentile__no_values__is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)
