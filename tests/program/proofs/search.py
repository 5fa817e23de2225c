"""The search for inputs that break a property, along every way through the rules that it calls."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import z3

from anchor_client.errors.program import ProgramRefusal
from tests.program.proofs.given import Given, Irrelevant, Property, T, Value, broken_by
from tests.program.proofs.linear import Linear
from tests.program.proofs.terms import Condition, Term

EFFORT: Final = 60_000_000
"""Steps of the solver for a claim, so that an answer does not depend on the machine; about a minute."""
_QUICK: Final = 1_500_000


class Way(Given):
    """One way through a property: the sides taken so far, and from `ahead` those to take first."""

    def __init__(self, ahead: list[Any], effort: int) -> None:
        self.open: list[list[Any]] = []
        """Other ways, found on this one."""
        self.inputs: dict[str, Any] = {}
        self._effort = effort
        self._ahead = ahead
        self._taken: list[Any] = []
        self._known: list[z3.BoolRef] = []
        self._sides: dict[int, bool] = {}
        self._quotients: dict[tuple[int, int], z3.ArithRef] = {}
        self._kept: list[Any] = []
        self._linear = Linear()
        self._quick = z3.Solver()
        self._quick.set("rlimit", _QUICK)

    def integer(self, name: str, low: int, high: int) -> Value:
        expr = z3.Int(name)
        self.inputs[name] = expr
        self._learn(z3.And(expr >= low, expr <= high))
        return Term(expr, self)

    def choice(self, name: str, options: Iterable[T]) -> T:
        options = list(options)
        number = self._next(range(len(options)))
        self.inputs[name] = options[number]
        return options[number]

    def assume(self, condition: Any) -> None:
        if isinstance(condition, Condition):
            self._learn(condition.expr)
        else:
            super().assume(condition)

    def product(self, one: Value, other: Value) -> None:
        a, b = (z3.IntVal(each) if isinstance(each, int) else each.expr for each in (one, other))
        if self._may_be(z3.Or(a < 0, b < 0)):
            self._learn(z3.Implies(z3.And(a >= 0, b >= 0), a * b >= 0))
        else:
            self._learn(a * b >= 0)

    def decide(self, condition: z3.BoolRef) -> bool:
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return z3.is_true(condition)
        known = self._sides.get(condition.get_id())
        if known is not None:
            return known
        if len(self._taken) < len(self._ahead):
            side = self._next((False, True))
        else:
            sides = [side for side in (True, False) if self._may_be(condition if side else z3.Not(condition))]
            if not sides:
                raise Irrelevant
            side = self._next(sides)
        self._sides[condition.get_id()] = side
        self._kept.append(condition)
        self._learn(condition if side else z3.Not(condition))
        return bool(side)

    def divide(self, dividend: z3.ArithRef, divisor: z3.ArithRef) -> z3.ArithRef:
        dividend, divisor = z3.simplify(dividend, som=True), z3.simplify(divisor, som=True)
        if z3.is_int_value(dividend) and z3.is_int_value(divisor):
            return z3.IntVal(dividend.as_long() // divisor.as_long())
        key = dividend.get_id(), divisor.get_id()
        if key not in self._quotients:
            quotient = z3.Int(f"quotient {len(self._quotients)}")
            self._kept += [dividend, divisor]
            self._quotients[key] = quotient
            self._learn(z3.And(quotient * divisor <= dividend, dividend < quotient * divisor + divisor))
        return self._quotients[key]

    def counterexample(self, claim: z3.BoolRef | None) -> z3.CheckSatResult | dict[str, Any]:
        """Inputs on this way for which the claim does not hold, or the solver's word."""
        broken = z3.BoolVal(True) if claim is None else z3.Not(claim)
        if not self._may_be(broken):
            return z3.unsat
        solver = z3.Solver()
        solver.set("rlimit", self._effort)
        solver.add(*self._known, broken)
        answer = solver.check()
        return self._inputs(solver.model()) if answer == z3.sat else answer

    def _inputs(self, model: z3.ModelRef) -> dict[str, Any]:
        return {
            name: model.eval(value, model_completion=True).as_long() if z3.is_expr(value) else value
            for name, value in self.inputs.items()
        }

    def _learn(self, condition: z3.BoolRef) -> None:
        self._known.append(condition)
        self._quick.add(self._linear.of(condition))

    def _may_be(self, condition: z3.BoolRef) -> bool:
        """False if it contradicts what is known even where products may be any numbers."""
        self._quick.push()
        self._quick.add(self._linear.of(condition))
        answer = self._quick.check()
        self._quick.pop()
        return bool(answer != z3.unsat)

    def _next(self, sides: Iterable[Any]) -> Any:
        place = len(self._taken)
        if place < len(self._ahead):
            side = self._ahead[place]
        else:
            side, *others = sides
            self.open += [[*self._taken, other] for other in others]
        self._taken.append(side)
        return side


def _expr(value: Value) -> Any:
    return value.expr if isinstance(value, Term | Condition) else value


@dataclass(frozen=True)
class Result:
    """Outcome for one property: proved, or inputs that break it, or what the solver could not tell."""

    claims: int
    ways: int
    seconds: float
    broken: str = ""
    inputs: dict[str, Any] | None = None
    unknown: str = ""

    @property
    def is_proved(self) -> bool:
        """True where it holds for all inputs, and something was claimed."""
        return not self.broken and not self.unknown and self.claims > 0


def prove(stated: Property, effort: int = EFFORT) -> Result:
    """Looks for inputs that break a property; each claim must hold and no rule may refuse."""
    begun = time.monotonic()
    waiting: list[list[Any]] = [[]]
    claims = ways = 0

    def result(**changes: Any) -> Result:
        return Result(claims, ways, time.monotonic() - begun, **changes)

    while waiting:
        way = Way(waiting.pop(), effort)
        try:
            told = [(name, _expr(claim)) for name, claim in stated(way)]
        except Irrelevant:
            told = []
        except ProgramRefusal as error:
            told = [(f"no refusal: {error}", False)]
        waiting += way.open
        ways += bool(told)
        for name, claim in told:
            if claim is True:
                continue
            found = way.counterexample(None if claim is False else claim)
            if isinstance(found, dict):
                if broken_by(stated, found):
                    return result(broken=name, inputs=found)
                return result(unknown=f"{name}: the solver's inputs do not break it")
            if found != z3.unsat:
                return result(unknown=name)
            claims += 1
    return result()
