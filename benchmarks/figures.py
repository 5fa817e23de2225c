"""A measured figure and the target it is held against."""

from __future__ import annotations

import asyncio
import operator
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
    failure: str | None = None
    """Why a part of it has no figures."""


def at_most(bound: Number) -> FigureTarget:
    """The figure may be this and no more."""
    return FigureTarget("≤", bound)


def at_least(bound: Number) -> FigureTarget:
    """The figure must be this or more."""
    return FigureTarget("≥", bound)


def below(bound: Number) -> FigureTarget:
    """The figure must be less than this."""
    return FigureTarget("<", bound)


class CutOff(asyncio.CancelledError):
    """A benchmark was cancelled between or in its parts; `report` has those that were measured."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


class Parts:
    """Parts of a benchmark, each with its own figures: one that fails or is cut off takes no other's away."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._figures: list[Figure] = []
        self._details: list[Row] = []
        self._failures: list[str] = []

    async def take(self, name: str, measuring: Awaitable[tuple[Sequence[Figure], Sequence[Row]]]) -> None:
        """Measures a part, or keeps the reason why it could not be measured. CutOff where it is cancelled."""
        try:
            figures, details = await measuring
        except (asyncio.CancelledError, KeyboardInterrupt):
            self._failures.append(f"{name}: cut off")
            raise CutOff(self.report()) from None
        except Exception as error:
            self._progress(f"{name} failed\n{traceback.format_exc()}")
            self._failures.append(f"{name}: {reason_of(error)}")
        else:
            self._figures += figures
            self._details += details

    def report(self) -> Report:
        """Figures measured so far."""
        return Report(self._figures, self._details, "; ".join(self._failures) or None)


def reason_of(error: BaseException) -> str:
    """An exception in one line; of a group, its first."""
    if isinstance(error, BaseExceptionGroup):
        return reason_of(error.exceptions[0])
    return f"{type(error).__name__}: {error}".splitlines()[0]
