"""A spot order for a machine that somebody holds waits among the wallet's bids, and can be withdrawn there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.ordering import free_machine, newcomer, reviewed, run
from tests.dashboard.visit import Visit, visiting
from tests.dashboard.wallet import SIGN, sign
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.browser


def spot(visit: Visit, listing: str) -> None:
    """At a spot order that the market's minimum allows."""
    newcomer(visit, listing)
    visit.page.get_by_label("Kind").select_option("spot")
    visit.page.get_by_label("Hours").fill("12")
    expect(visit.page.get_by_label("What it costs")).to_contain_text("Into escrow for 12 h")
    expect(visit.page.get_by_label("What it costs")).to_contain_text("You hold 1,000 GPUM.")


def test_bid__for_a_held_machine__waits_and_is_withdrawn(browser: Browser, up: UpProcess) -> None:
    url = up.ready["api_url"]
    with visiting(browser, url, still=True) as holder, visiting(browser, url, still=True) as bidder:
        listing = free_machine(holder)
        spot(holder, listing)
        run(holder)
        spot(bidder, listing)
        page = bidder.page
        expect(page.get_by_text("The least that gets in now is")).to_be_visible()
        reviewed(bidder).get_by_role("button", name=SIGN).click()
        expect(page.get_by_text("Waiting for the machine's holder to leave").first).to_be_visible()
        bidder.forget_missing()
        page.get_by_role("link", name="My rentals").first.click()
        page.get_by_role("link", name="Spot bids").click()
        row = page.get_by_role("row", name="waiting")
        expect(row).to_contain_text("spot")
        assert bidder.violations() == []
        row.get_by_role("button", name="Withdraw").click()
        expect(page.get_by_role("dialog", name="Withdraw this bid")).to_contain_text("You get")
        sign(bidder)
        expect(page.get_by_role("row", name="withdrawn")).to_be_visible()
