"""The verdict on each mutation."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .copy import Copy
from .failure import Failure
from .listed import Mutation
from .weave import SWITCH, choose, groups, is_switched, weave

LIBRARY = "programs/gpu_market/src/lib.rs"


class Verdict(StrEnum):
    CAUGHT = "caught"
    SURVIVED = "SURVIVED"
    NOT_BUILT = "NOT BUILT"
    NOT_RUN = "NOT RUN"


@dataclass(frozen=True, slots=True)
class Result:
    """`detail` names the tests that did not fail, or says what went wrong; `seconds` is how long the tests took."""

    name: str
    invariant: str
    verdict: Verdict
    seconds: int
    detail: str


def judge_all(found: Sequence[Mutation], copy: Copy) -> Iterator[Result]:
    """Yields each result. Failure if the tests do not pass without mutations."""
    in_program = [each for each in found if each.changes_program]
    plain = _build(copy, "the program as it is") if in_program else copy.program
    _require_passing(copy, found)
    for each in found:
        if not each.changes_program:
            yield _judge_python(each, copy)
    sources = {each.file: (copy.root / each.file).read_text() for each in in_program}
    waiting = groups(in_program, sources)
    while waiting:
        group = waiting.pop(0)
        switched = is_switched(group, sources)
        changed = weave(group, sources)
        if switched:
            library = changed.get(LIBRARY) or (copy.root / LIBRARY).read_text()
            changed[LIBRARY] = library + SWITCH
        try:
            with copy.changed(changed):
                built = _build(copy, f"the program with {len(group)} of the mutations")
        except Failure as error:
            if len(group) == 1:
                yield Result(group[0].name, group[0].invariant, Verdict.NOT_BUILT, 0, str(error))
            else:
                waiting = [group[: len(group) // 2], group[len(group) // 2 :], *waiting]
            continue
        if switched:
            copy.program = choose(built, 0)
            _require_passing(copy, group)
        for number, each in enumerate(group, 1):
            copy.program = choose(built, number) if switched else built
            yield _judge_tests(each, copy)
        copy.program = plain


def _build(copy: Copy, what: str) -> bytes:
    print(f"building {what}", end="  ", flush=True)
    started = time.monotonic()
    built = copy.build()
    print(f"{time.monotonic() - started:.0f} s", flush=True)
    return built


def _require_passing(copy: Copy, found: Sequence[Mutation]) -> None:
    tests = sorted({test for each in found for test in each.tests})
    if failed := copy.failing(tests):
        raise Failure(f"these fail without any mutation: {', '.join(sorted(failed))}")


def _judge_python(mutation: Mutation, copy: Copy) -> Result:
    text = mutation.apply((copy.root / mutation.file).read_text())
    try:
        ast.parse(text)
    except SyntaxError as error:
        return Result(mutation.name, mutation.invariant, Verdict.NOT_BUILT, 0, str(error))
    with copy.changed({mutation.file: text}):
        return _judge_tests(mutation, copy)


def _judge_tests(mutation: Mutation, copy: Copy) -> Result:
    started = time.monotonic()
    try:
        unnoticed = set(mutation.tests) - copy.failing(mutation.tests)
        verdict = Verdict.SURVIVED if unnoticed else Verdict.CAUGHT
        detail = ", ".join(sorted(unnoticed))
    except Failure as error:
        verdict = Verdict.NOT_RUN
        detail = str(error)
    return Result(mutation.name, mutation.invariant, verdict, round(time.monotonic() - started), detail)
