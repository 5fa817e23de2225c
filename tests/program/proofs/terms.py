"""Integers that are not known: what the rules compute with in a proof."""

from __future__ import annotations

from typing import Any, Protocol, Self

import z3


class Path(Protocol):
    """One way through a rule, which takes a side at each condition."""

    def decide(self, condition: z3.BoolRef) -> bool: ...
    def divide(self, dividend: z3.ArithRef, divisor: z3.ArithRef) -> z3.ArithRef: ...


class Condition:
    """A comparison of terms. Python's `if`, `and`, `min` and `max` ask it for its truth, which takes a side."""

    __slots__ = ("expr", "path")

    def __init__(self, expr: z3.BoolRef, path: Path) -> None:
        self.expr = expr
        self.path = path

    def __bool__(self) -> bool:
        return self.path.decide(self.expr)


class Term:
    """An integer expression. Division is that of Python's integers."""

    __slots__ = ("expr", "path")

    def __init__(self, expr: z3.ArithRef, path: Path) -> None:
        self.expr = expr
        self.path = path

    def _other(self, other: object) -> Any:
        if isinstance(other, Term):
            return other.expr
        return z3.IntVal(int(other)) if isinstance(other, int) else None

    def _term(self, expr: Any) -> Self:
        return type(self)(expr, self.path)

    def __add__(self, other: object) -> Self:
        return self._term(self.expr + self._other(other))

    def __sub__(self, other: object) -> Self:
        return self._term(self.expr - self._other(other))

    def __rsub__(self, other: object) -> Self:
        return self._term(self._other(other) - self.expr)

    def __mul__(self, other: object) -> Self:
        return self._term(self.expr * self._other(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return self._term(-self.expr)

    def __floordiv__(self, other: object) -> Self:
        return self._term(self.path.divide(self.expr, self._other(other)))

    def __rfloordiv__(self, other: object) -> Self:
        return self._term(self.path.divide(self._other(other), self.expr))

    def __mod__(self, other: object) -> Self:
        return self - (self // other) * other

    def __lshift__(self, bits: int) -> Self:
        return self * 2**bits

    def __rshift__(self, bits: int) -> Self:
        return self // 2**bits

    def __and__(self, mask: int) -> Self:
        assert (mask + 1).bit_count() == 1, "the low bits, and no others"
        return self % (mask + 1)

    def _compare(self, expr: Any) -> Condition:
        return Condition(expr, self.path)

    def __lt__(self, other: object) -> Condition:
        return self._compare(self.expr < self._other(other))

    def __le__(self, other: object) -> Condition:
        return self._compare(self.expr <= self._other(other))

    def __gt__(self, other: object) -> Condition:
        return self._compare(self.expr > self._other(other))

    def __ge__(self, other: object) -> Condition:
        return self._compare(self.expr >= self._other(other))

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare(self.expr == self._other(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare(self.expr != self._other(other))

    def __bool__(self) -> bool:
        return self.path.decide(self.expr != 0)

    __hash__ = None  # type: ignore[assignment]
