"""The tables of shared pools say what the code and its settings do, and name the test that uses each pool up."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from indexer.settings import IndexerSettings
from keeper.settings import KeeperSettings
from tests.docs.pages import ROOT

NAMED = re.compile(r"`([\w.]+)` = (\d+)")
SECTION = (ROOT / "docs" / "security.md").read_text().partition("## Shared pools\n")[2].partition("\n## ")[0]
ROWS = [line for line in SECTION.splitlines() if line.startswith("| ") and not line.startswith("| pool ")]
SETTINGS = (IndexerSettings, KeeperSettings)


def test_pools__each__has_a_size() -> None:
    assert len(ROWS) >= 30 and all(NAMED.search(row.split("|")[2]) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_pools__each__has_a_test(row: str) -> None:
    file, _, name = row.split("|")[5].strip().strip("`").partition("::")
    assert f"def {name}(" in (ROOT / file).read_text()


@pytest.mark.parametrize(("name", "told"), NAMED.findall(SECTION))
def test_pools__sizes_and_shares__are_those_of_the_code(name: str, told: str) -> None:
    module, _, constant = name.rpartition(".")
    if module:
        found = getattr(import_module(module), constant)
    else:
        [found] = {getattr(settings(), name) for settings in SETTINGS if hasattr(settings, name)}
    assert int(found) == int(told)
