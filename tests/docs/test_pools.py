"""The table of shared pools says what the code and its settings do."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from indexer.settings import IndexerSettings
from tests.docs.pages import ROOT

NAMED = re.compile(r"`([\w.]+)` = (\d+)")
SECTION = (ROOT / "docs" / "security.md").read_text().partition("## Shared pools of the API")[2].partition("\n## ")[0]


def test_pools__each__has_a_size() -> None:
    rows = [line for line in SECTION.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 10 and all(NAMED.search(row.split("|")[2]) for row in rows)


@pytest.mark.parametrize(("name", "told"), NAMED.findall(SECTION))
def test_pools__sizes_and_shares__are_those_of_the_code(name: str, told: str) -> None:
    module, _, constant = name.rpartition(".")
    found = getattr(import_module(module), constant) if module else getattr(IndexerSettings(), constant)
    assert int(found) == int(told)
