"""docs/invariants.md against docs/mutations.toml and the tests: no invariant that nothing shows."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from scripts.mutation import listed

TESTS = Path(__file__).parents[1]
INVARIANTS = re.findall(
    r"^- \*\*([A-Z]{3}-\d+)\*\* ", (listed.ROOT / "docs" / "invariants.md").read_text(), re.MULTILINE
)
CITATION = re.compile(r"[Ii]nvariants?\s+((?:[A-Z]{3}-\d+(?:,\s+| and | to )?)+)")


def cited(text: str) -> set[str]:
    """The ids after each "Invariants", ranges in full."""
    found: set[str] = set()
    for ids in CITATION.findall(text):
        for area, first, last in re.findall(r"([A-Z]{3})-(\d+)(?: to \1-(\d+))?", ids):
            found |= {f"{area}-{number}" for number in range(int(first), int(last or first) + 1)}
    return found


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((listed.ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_invariants__ids__count_up_in_each_area() -> None:
    areas = list(dict.fromkeys(each.partition("-")[0] for each in INVARIANTS))
    sizes = Counter(each.partition("-")[0] for each in INVARIANTS)
    assert INVARIANTS == [f"{area}-{number}" for area in areas for number in range(1, sizes[area] + 1)] != []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Invariant RNT-3.", {"RNT-3"}),
        ("Invariants RNT-1 to RNT-3, SPT-16.", {"RNT-1", "RNT-2", "RNT-3", "SPT-16"}),
        ("see invariants RNT-2 and SPT-5", {"RNT-2", "SPT-5"}),
        ("Invariants RNT-2,\nSPT-5.", {"RNT-2", "SPT-5"}),
        ("RNT-4.", set()),
    ],
)
def test_cited__forms__are_read(text: str, ids: set[str]) -> None:
    assert cited(text) == ids


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


def test_mutations__several_of_an_invariant__have_a_test_each() -> None:
    """Name a test that only this mutation breaks, or delete it."""
    assert [f"{each.invariant}: {each.name}" for each in listed.redundant(listed.mutations())] == []


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
