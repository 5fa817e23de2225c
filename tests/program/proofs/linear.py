"""Products as unknowns of their own: what holds then holds for the products too, and is found much faster."""

from __future__ import annotations

import math
from typing import Any

import z3


class Linear:
    """Rewrites conditions so that each product of unknowns becomes one unknown, the same for the same factors."""

    def __init__(self) -> None:
        self._products: dict[tuple[int, ...], z3.ArithRef] = {}
        self._done: dict[int, Any] = {}
        self._kept: list[Any] = []
        """Expressions whose ids are used: the solver gives the ids of those that nobody holds to others."""

    def of(self, condition: z3.BoolRef) -> z3.BoolRef:
        """The condition with its products replaced."""
        expanded: z3.BoolRef = self._of(z3.simplify(condition, som=True))
        return expanded

    def _of(self, expr: Any) -> Any:
        known = self._done.get(expr.get_id())
        if known is None:
            known = self._rewritten(expr)
            self._kept.append(expr)
            self._done[expr.get_id()] = known
        return known

    def _rewritten(self, expr: Any) -> Any:
        if z3.is_mul(expr):
            return self._product(expr.children())
        if not expr.children():
            return expr
        return expr.decl()(*[self._of(each) for each in expr.children()])

    def _product(self, factors: list[Any]) -> Any:
        numbers = [each.as_long() for each in factors if z3.is_int_value(each)]
        unknown = sorted((each for each in _flat(factors) if not z3.is_int_value(each)), key=lambda each: each.get_id())
        number = math.prod(numbers)
        if len(unknown) <= 1:
            return number * self._of(unknown[0]) if unknown else z3.IntVal(number)
        key = tuple(each.get_id() for each in unknown)
        if key not in self._products:
            self._kept += unknown
            self._products[key] = z3.Int(f"product {len(self._products)}")
        return number * self._products[key]


def _flat(factors: list[Any]) -> list[Any]:
    found: list[Any] = []
    for each in factors:
        found += _flat(each.children()) if z3.is_mul(each) else [each]
    return found
