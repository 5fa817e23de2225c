"""A measured figure and the target it is held against."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Number: TypeAlias = int | float
Row: TypeAlias = Mapping[str, str | Number]
Progress: TypeAlias = Callable[[str], None]
"""Called with what a benchmark is doing."""


REACHES: Mapping[str, Callable[[Number, Number], bool]] = {"≤": operator.le, "≥": operator.ge, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class FigureTarget:
    """A bound on a figure, in the figure's unit, and on which side of it is good: a key of REACHES."""

    sense: str
    bound: Number

    def met_by(self, value: Number) -> bool:
        """True where a value reaches the target."""
        return REACHES[self.sense](value, self.bound)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number."""

    name: str
    value: Number
    unit: str
    target: FigureTarget | None = None

    @property
    def met(self) -> bool | None:
        """True where the figure reaches its target; None without one."""
        return None if self.target is None else self.target.met_by(self.value)


@dataclass(frozen=True, slots=True)
class Report:
    """A benchmark's results: figures, and rows of detail that all have the same columns."""

    figures: Sequence[Figure]
    details: Sequence[Row] = field(default=())


def at_most(bound: Number) -> FigureTarget:
    """The figure may be this and no more."""
    return FigureTarget("≤", bound)


def at_least(bound: Number) -> FigureTarget:
    """The figure must be this or more."""
    return FigureTarget("≥", bound)


def below(bound: Number) -> FigureTarget:
    """The figure must be less than this."""
    return FigureTarget("<", bound)
