"""Counts of language and structure, on texts small enough to count by hand."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from scripts.counts.__main__ import check
from scripts.counts.chain import assumed
from scripts.counts.density import LINES
from scripts.counts.edits import AREAS, of_instruction, of_listed, of_path
from scripts.counts.language import (
    colliding_classes,
    conditional_expressions,
    doc_comments,
    docstrings,
    tuple_assignments,
)
from scripts.counts.sources import Source
from scripts.counts.structure import cycles, files_side_by_side, imports
from scripts.counts.walk import walk

TEXT = '''"""Whether it is so."""

from dataclasses import dataclass


@dataclass
class Kept:
    """A record."""

    name: str
    """What it is called."""


def chosen(first: bool) -> int:
    """Number that is chosen."""
    one, two = 1, 2  # both are needed
    return one if first else two  # noqa: RET
'''


def source(name: str, text: str) -> Source:
    return Source(name, text, ast.parse(text))


def test_docstrings__modules_classes_fields_and_functions__are_all_found() -> None:
    found = list(docstrings(source("a/b.py", TEXT)))
    assert sorted(each.line for each in found) == [1, 8, 11, 15]
    assert sorted(each.line for each in found if each.opens_with_question) == [1, 11]


@pytest.mark.parametrize("word", ["What", "who", "Whether", "Whose", "Which,", "Where", "How"])
def test_opening__question_word__is_counted(word: str) -> None:
    assert all(each.opens_with_question for each in docstrings(source("a.py", f'"""{word} it is."""')))
    assert not any(each.opens_with_question for each in docstrings(source("a.py", '"""Whatever. What?"""')))


def test_density__one_of_each__is_counted_once() -> None:
    read = source("a/b.py", TEXT)
    assert (conditional_expressions(read), tuple_assignments(read)) == (1, 1)
    assert list(read.comments()) == ["both are needed"]


def test_collisions__class_of_two_files__counts_twice_and_tests_do_not() -> None:
    files = [source("a/b.py", TEXT), source("a/c.py", TEXT), source("tests/d.py", TEXT)]
    shared, classes = colliding_classes(files)
    assert (shared, classes) == ({"Kept": ["a/b.py:7", "a/c.py:7"]}, 2)
    assert dict(files_side_by_side(files)) == {"a": 2}


def test_check__names_within_the_limit__says_nothing() -> None:
    shared = [source(f"a/{name}.py", 'class Kept:\n    """A record."""\n') for name in ("b", "c")]
    others = [source(f"o/n{number}.py", f'class Own{number}:\n    """A record."""\n') for number in range(38)]
    assert list(check([*shared, *others])) == []


def test_check__one_name_too_many__names_the_classes_and_a_remedy() -> None:
    shared = [source(f"a/{name}.py", 'class Kept:\n    """A record."""\n') for name in ("b", "c")]
    others = [source(f"o/n{number}.py", f'class Own{number}:\n    """A record."""\n') for number in range(37)]
    places, remedy = check([*shared, *others])
    assert places == "Kept: a/b.py:1, a/c.py:1"
    assert remedy.startswith("2 of 39 classes share their name") and "says which" in remedy


def test_check__questions__are_listed_with_a_remedy() -> None:
    place, remedy = check([source("a.py", '"""What it is."""')])
    assert place == "a.py:1: What it is." and remedy.startswith("Open a docstring with a noun")


@pytest.mark.parametrize(
    ("statement", "allowed", "name"),
    [("one = 1 if two else 3", 110, "conditional expressions"), ("one, two = 1, 2", 5, "tuple assignments")],
)
def test_check__one_dense_statement_too_many__names_the_file_and_a_remedy(
    statement: str, allowed: int, name: str
) -> None:
    lines = [statement] * allowed + ["pass"] * (LINES - allowed)
    within = source("a.py", "\n".join(lines) + "\n")
    assert list(check([within])) == []
    assert list(check([within, source("tests/b.py", f"{statement}\n")])) == []
    place, remedy = check([source("a.py", "\n".join([*lines[:-1], statement]) + "\n")])
    assert place == f"a.py: {allowed + 1} {name}"
    assert remedy.startswith(f"{allowed + 1} {name} in {LINES} lines outside tests, more than {allowed}. Write ")


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("SLOT_SECONDS: Final = 0.4", 1),
        ("slot_ms = 400", 1),
        ("LAMPORTS_PER_SIGNATURE = 5_000", 1),
        ("rent = (128 + size) * 6_960", 1),
        ("epochs = slot // 432_000", 1),
        ("STATUS = 400", 0),
        ("PAUSE_SECONDS = 0.4", 0),
        ("LIMIT = 5_000", 0),
    ],
)
def test_assumed__number_of_the_chain__is_found_outside_tests(statement: str, count: int) -> None:
    assert len(list(assumed([source("a.py", statement)]))) == count
    assert list(assumed([source("tests/a.py", statement)])) == []


def test_check__number_of_the_chain__is_named_with_a_remedy() -> None:
    place, remedy = check([source("a.py", "SLOT_SECONDS = 0.4\n")])
    assert place == "a.py:1: 0.4" and remedy.startswith("Read slots, fees and rent from the chain")


def test_check__doc_comment_of_rust__counts_by_its_first_line() -> None:
    rust = list(doc_comments({"a.rs": "//! A module.\n\n/// What is paid.\n/// Where it goes.\n    /// Whether so.\n"}))
    assert [(each.line, each.opens_with_question) for each in rust] == [(1, False), (3, True)]
    place, remedy = check([source("a.py", "")], {"Rust": rust})
    assert place == "a.rs:3: What is paid." and remedy.startswith("Open a docstring")


def test_check__doc_comment_of_typescript__counts_by_its_first_words() -> None:
    text = "/** A module. */\n\n/**\n * What is paid.\n * Who pays.\n */\n/* Whether so. */\n  /** How it goes. */\n"
    found = list(doc_comments({"a.svelte": text}))
    assert [(each.line, each.opens_with_question) for each in found] == [(1, False), (4, True), (8, True)]
    first, second, _ = check([source("a.py", "")], {"TypeScript": found})
    assert first.startswith("a.svelte:4: What is paid.") and second.startswith("a.svelte:8: How it goes.")


def test_cycles__imports_within_functions__count_and_those_for_types_do_not() -> None:
    first = source("p/first.py", "def late():\n    from p import second\n")
    second = source("p/second.py", "from .first import late\n")
    typed = source("p/third.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p import first\n")
    graph = imports([first, second, typed, source("p/__init__.py", "")])
    assert graph["p.first"] == {"p.second"} and graph["p.third"] == set()
    assert [set(each) for each in cycles(graph)] == [{"p.first", "p.second"}]
    assert cycles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_edits__files_that_name_it_in_any_case__are_counted(tmp_path: Path) -> None:
    (tmp_path / "idl").mkdir()
    (tmp_path / "idl/gpu_market.json").write_text(json.dumps({"instructions": [{"name": "open_rental"}]}))
    (tmp_path / "idl/openapi.json").write_text(json.dumps({"paths": {"/api/jobs/{id}": {}}}))
    files = {
        "a.py": 'open_rental(f"/api/jobs/{job}")',
        "b.rs": "OpenRental",
        "c.ts": "openRental // /api/jobs-of-others",
        "d.md": "`reopen_rental`, `/api/jobs`",
        "tests/e.py": "open_rental",
    }
    assert of_instruction(files, tmp_path) == "4, 3 of them outside tests"
    assert of_path(files, tmp_path) == "2, 2 of them outside tests"


def test_edits__files_that_only_use_an_instruction__do_not_count() -> None:
    files = {
        **{f"{AREAS}host/{name}.rs": f"fn {name}()" for name in ("register_host", "update_host", "set_operator")},
        f"{AREAS}host/mod.rs": "mod register_host; mod set_operator; mod update_host;",
        "client/actions.py": "register_host set_operator",
        "tests/test_set_operator.py": "set_operator",
        "tests/test_others.py": "set_operator",
    }
    assert of_listed(files) == "3, 3 of them outside tests"


def test_walk__uses_in_functions_about_prices__are_hops() -> None:
    rule = source("p/rule.py", "def price_ceil(hours):\n    return hours\n")
    user = source(
        "p/user.py",
        "from p.rule import price_ceil\ndef cost(price):\n    return price_ceil(price)\nprice_ceil(1)\n",
    )
    other = source("p/other.py", "from p.rule import cost\ndef spice(cost):\n    return cost()\n")
    assert walk([rule, user, other, source("tests/t.py", user.text)]) == (2, 1)
