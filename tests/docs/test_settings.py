"""docs/settings.md and other pages against the settings themselves."""

from __future__ import annotations

import re

from keeper.names import CrankName
from scripts.settings import PAGE, page
from tests.docs.pages import PACKAGES, PAGES, ROOT, rows


def test_settings__every_table__is_what_the_declarations_say() -> None:
    assert page(PAGE.read_text()) == PAGE.read_text()


def test_cranks__each__is_told() -> None:
    assert [row[0].strip("`") for row in rows((ROOT / "docs" / "keep.md").read_text(), "Cranks")] == list(CrankName)


def test_environment__every_variable__is_told() -> None:
    """Those that the sources spell out, beside those of settings."""
    named = {
        variable
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for variable in re.findall(r"GPU_MARKET_[A-Z]+(?:_[A-Z]+)*", file.read_text())
    }
    pages = "".join(page.read_text() for page in PAGES)
    assert {variable for variable in named if f"`{variable}" not in pages} == set()
