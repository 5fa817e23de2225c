"""The properties that are proved, each with the invariants that it is part of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.program.proofs.given import Given

Claims = Iterator[tuple[str, Any]]


@dataclass(frozen=True)
class Stated:
    """A property: `claims` gives what must hold, each with its name, for any inputs within the bounds."""

    name: str
    area: str
    sentence: str
    invariants: tuple[str, ...]
    claims: Callable[[Given], Claims]


STATED: dict[str, Stated] = {}


def holds(*invariants: str) -> Callable[[Callable[[Given], Claims]], Callable[[Given], Claims]]:
    """Adds a property to those that are proved; its docstring is the sentence of the table."""

    def add(claims: Callable[[Given], Claims]) -> Callable[[Given], Claims]:
        area = claims.__module__.rpartition(".")[2]
        sentence = " ".join((claims.__doc__ or "").split())
        STATED[claims.__name__] = Stated(claims.__name__, area, sentence, invariants, claims)
        return claims

    return add
