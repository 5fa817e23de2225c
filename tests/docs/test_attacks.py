"""The table of a tenant's attacks names the tests that perform them."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

SECTION = (ROOT / "docs" / "security.md").read_text().partition("## A tenant's attacks on its host\n")[2]
ROWS = [line for line in SECTION.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]
NOTHING = "| nothing |"
"""Cell of an attack that only another runtime holds."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_attacks__each__has_tests_unless_nothing_holds_it(row: str) -> None:
    _, attack, held, _, named, _ = row.split("|")
    tests = re.findall(r"`([\w/.]+)::(\w+)`", named)
    assert attack.strip() and held.strip() and (tests or NOTHING in row)
    for file, name in tests:
        assert f"def {name}(" in (ROOT / file).read_text()
