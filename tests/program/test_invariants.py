"""docs/invariants.md against docs/mutations.toml and the tests: no invariant that nothing shows."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from scripts.mutation import listed

TESTS = Path(__file__).parents[1]
NUMBERED = re.findall(r"^(\d+)\. ", (listed.ROOT / "docs" / "invariants.md").read_text(), re.MULTILINE)
INVARIANTS = [int(number) for number in NUMBERED]
CITATION = re.compile(r"[Ii]nvariants? ((?:\d+(?:, | and | to )?)+)")


def cited(text: str) -> set[int]:
    """The numbers after each "Invariants", ranges in full."""
    found: set[int] = set()
    for numbers in CITATION.findall(text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", numbers):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((listed.ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_invariants__numbers__leave_none_out() -> None:
    assert sorted(INVARIANTS) == list(range(1, len(INVARIANTS) + 1)) != []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Invariant 3.", {3}),
        ("Invariants 1 to 3, 16.", {1, 2, 3, 16}),
        ("see invariants 2 and 5", {2, 5}),
        ("4.", set()),
    ],
)
def test_cited__forms__are_read(text: str, numbers: set[int]) -> None:
    assert cited(text) == numbers


def test_invariants__each__is_cited_by_a_test() -> None:
    files = [file for file in TESTS.rglob("test_*.py") if file != Path(__file__)]
    missing = set(INVARIANTS).difference(*(cited(file.read_text()) for file in files))
    assert missing == set()


def test_mutations__every_invariant__has_one_or_a_reason() -> None:
    mutated = {mutation.invariant for mutation in listed.mutations()}
    reasons = listed.unremovable()
    assert mutated | reasons.keys() == set(INVARIANTS)
    assert mutated & reasons.keys() == set()
    assert all(reasons.values())


def test_mutations__names__tell_them_apart() -> None:
    names = [mutation.name for mutation in listed.mutations()]
    assert len(names) == len(set(names))


def test_mutations__old_texts__are_each_in_one_place() -> None:
    listed.require_one_place(listed.mutations())


def test_mutations__named_tests__exist() -> None:
    tests = {test for mutation in listed.mutations() for test in mutation.tests}
    missing = [test for test in tests if not _exists(*test.partition("::"))]
    assert missing == []
    assert all(mutation.tests for mutation in listed.mutations())


def test_mutations__files_of_named_tests__cite_the_invariant() -> None:
    files = {
        (test.partition("::")[0], mutation.invariant) for mutation in listed.mutations() for test in mutation.tests
    }
    citations = {file: cited((listed.ROOT / file).read_text()) for file, _ in files}
    assert sorted((file, invariant) for file, invariant in files if invariant not in citations[file]) == []


def _exists(file: str, separator: str, name: str) -> bool:
    return (listed.ROOT / file).is_file() and (not separator or name.partition("[")[0] in functions_of(file))
