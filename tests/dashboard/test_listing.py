"""The page of one machine: what it has cost, and what was paid for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.test_hosting import GPU
from tests.dashboard.visit import visiting
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.browser
NOTHING = "\N{EN DASH}"
APART = 60
"""Seconds between what is to be a row each."""


def test_price_history__changed_while_it_is_looked_at__has_each_price_and_what_was_paid(
    browser: Browser, up: UpProcess, host: Path
) -> None:
    mine = ("--keypair", str(host))
    listing = up.console.json("host", "list", "--gpu", GPU, "--region", "eu-west", "--price", "3.10", *mine)["listing"]
    up.console.run("host", "heartbeat", *mine)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open(f"/listings/{listing}")
        history = page.get_by_role("region", name="Price history")
        said = re.compile(r"^On demand \$3\.10 an hour since .* Not rented yet\.$")
        expect(history.get_by_role("img")).to_have_accessible_name(said)
        expect(history.locator("canvas")).to_be_visible()
        up.warp(APART)
        up.console.run("rent", "--listing", listing, "--duration", "6h", "--pay", "USDC")
        up.warp(APART)
        up.console.run("host", "price", listing, "3.55", *mine)
        history.get_by_text("As a table").click()
        rows = history.get_by_role("group", name="Figures").get_by_role("row")
        for row, (price, paid) in enumerate((("$3.10", NOTHING), ("$3.10", "$3.10"), ("$3.55", NOTHING)), start=1):
            cells = rows.nth(row).get_by_role("cell")
            expect(cells.nth(1)).to_have_text(price)
            expect(cells.last).to_have_text(paid)
        visit.forget_missing()
        assert visit.violations() == [] and not visit.overflows()
