"""A rule in seconds: a market shortly before an act is first allowed, or first refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solders.instruction import Instruction

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter

from ..actors import HOST, LISTINGS
from ..world import World

UTC_DAY = "the UTC day"
"""Sets a second as a parameter does."""
Timed = tuple[Callable[[], Instruction], int]
"""An act, and the second at which it is first allowed or first refused."""


@dataclass(frozen=True, slots=True)
class TimedRule:
    """An act that `error` refuses before a second, or from it on if it `ends` there."""

    name: str
    names: tuple[str, ...]
    """Parameters and constants that set the second."""
    error: type[errors.ProgramError]
    prepare: Callable[[World], Timed]
    ends: bool
    gain: str
    """The leader's gain from it."""

    def __str__(self) -> str:
        return self.name.replace(" ", "_")


RULES: list[TimedRule] = []


def rule(
    name: str, *names: MarketParameter | str, error: type[errors.ProgramError], gain: str, ends: bool = False
) -> Callable[[Callable[[World], Timed]], Callable[[World], Timed]]:
    """Lists a rule that the function prepares."""

    def listed(prepare: Callable[[World], Timed]) -> Callable[[World], Timed]:
        said = tuple(each.name.lower() if isinstance(each, MarketParameter) else each for each in names)
        RULES.append(TimedRule(name, said, error, prepare, ends, gain))
        return prepare

    return listed


def soon(world: World, at: int) -> int:
    """Time passes, hosts heard from, to five seconds before `at`; gives `at`."""
    world.wait(at - 5 - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    return at
