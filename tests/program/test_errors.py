"""Every error of the program has a test that provokes it, or a reason why none can.

`expect(errors.X)` both provokes and checks an error, so the tests' own source says what is covered.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from anchor_client.generated import errors
from anchor_client.generated.errors import ERRORS

from .harness.scenarios import IDL

OTHERWISE: dict[str, str] = {}
"""Errors that no transaction can provoke, and why."""


def expected_in_tests() -> set[str]:
    """Names of the errors that some test expects, directly or through a table of cases."""
    names = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        if file.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "expect":
                names |= {error for argument in node.args if (error := _error_name(argument))}
            elif isinstance(node, ast.Tuple) and node.elts and (error := _error_name(node.elts[0])):
                names.add(error)
    return names


def _error_name(node: ast.expr) -> str | None:
    """X of the expression errors.X."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "errors":
        return node.attr
    return None


def test_errors__every_one__is_provoked_by_a_test() -> None:
    expected = expected_in_tests()
    assert {each["name"] for each in IDL["errors"]} - expected == set(OTHERWISE)


@pytest.mark.parametrize("each", IDL["errors"], ids=lambda each: each["name"])
def test_errors__named_exception__carries_the_idls_code_and_message(each: dict[str, object]) -> None:
    kind = getattr(errors, str(each["name"]))
    assert (kind.code, kind.message) == (each["code"], each["msg"])
    assert ERRORS[kind.code] is kind
