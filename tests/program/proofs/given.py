"""Inputs of a property: unknown in a proof, numbers when it is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, TypeVar

from anchor_client.errors.program import ProgramRefusal

Value = Any
"""A term in a proof, an integer when a counterexample is tried."""
Claim = Any
Property = Callable[["Given"], Iterable[tuple[str, Claim]]]
T = TypeVar("T")


class Irrelevant(Exception):
    """The assumptions exclude these inputs."""


class Given:
    """Inputs of a property: any integer within the bounds that it names."""

    def integer(self, name: str, low: int, high: int) -> Value:
        """An integer from `low` to `high`."""
        raise NotImplementedError

    def choice(self, name: str, options: Iterable[T]) -> T:
        """Any of the options."""
        raise NotImplementedError

    def assume(self, condition: Any) -> None:
        """Excludes inputs for which it does not hold."""
        if not condition:
            raise Irrelevant

    def product(self, one: Value, other: Value) -> None:
        """Tells the solver what holds of any two integers: their product has no sign if they have none."""

    def exceeds(self, one: Value, other: Value, factor: Value) -> None:
        """Tells the solver what follows if one exceeds the other: so do their products with what has no sign."""
        self.product(one - other - 1, factor)


class Trial(Given):
    """Inputs that are known."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._inputs = inputs

    def integer(self, name: str, low: int, high: int) -> Value:
        value = self._inputs[name]
        if not low <= value <= high:
            raise Irrelevant(name)
        return value

    def choice(self, name: str, options: Iterable[T]) -> T:
        value: T = self._inputs[name]
        return value


class Chance(Given):
    """Inputs by chance: near a bound, near another input, or of any size."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._seen = [0]

    def integer(self, name: str, low: int, high: int) -> Value:
        near = self._random.choice((low, high, self._random.choice(self._seen), 1 << self._random.randrange(64)))
        wide = self._random.randint(0, 1 << self._random.randrange(1, max(high - low, 1).bit_length() + 1))
        value = self._random.choice((near + self._random.randint(-1, 1), low + wide, low + wide))
        self._seen.append(min(max(value, low), high))
        return self._seen[-1]

    def choice(self, name: str, options: Iterable[T]) -> T:
        return self._random.choice(list(options))


def broken_by(stated: Property, inputs: dict[str, Any]) -> str | None:
    """Name of the claim that inputs break, None if they break none."""
    try:
        return next((name for name, claim in stated(Trial(inputs)) if not claim), None)
    except Irrelevant:
        return None
    except ProgramRefusal as error:
        return f"no refusal: {error}"
