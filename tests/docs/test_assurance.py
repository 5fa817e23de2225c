"""Counts of the program's tests and of the mutations on docs/assurance.md."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from scripts.mutation.listed import mutations
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "assurance.md").read_text()


def collected(marks: str) -> int:
    """Number of the program's tests with some marks."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-m", marks, "tests/program"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sum("::" in line for line in done.stdout.splitlines())


def test_page__mutations__are_more_than_it_says() -> None:
    said = re.search(r"over (\d+) checks of program and index", PAGE)
    assert said is not None and len(mutations()) > int(said[1])


@pytest.mark.exhaustive
def test_page__tests_of_the_program__are_more_than_it_says() -> None:
    said = re.search(r"over ([\d,]+) tests of the program, over ([\d,]+) of them in sweeps", PAGE)
    assert said is not None
    every, sweeps = (int(each.replace(",", "")) for each in said.groups())
    assert collected("") > every and collected("exhaustive") > sweeps
