"""A spot order for a machine that somebody holds waits among the wallet's bids, and can be withdrawn there."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, Page, Response, expect

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
        expect(page.get_by_text("The lowest winning bid now is")).to_be_visible()
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


SEEN = """() => {
  const said = "A better order waits";
  window.seenAt = 0;
  new MutationObserver(() => {
    if (!window.seenAt && document.querySelector("main").innerText.includes(said)) window.seenAt = Date.now();
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
NOTED = """
window.noted = [];
window.Notification = class extends window.Notification {
  static permission = "granted"; // the headless shell says denied, whatever it was granted
  constructor(title, options) { super(title, options); window.noted.push(`${title}. ${options.body}`); }
};
"""
WITHIN_SECONDS = 1.0
GRACE_SECONDS = 90
DAY_SECONDS = 86_400
LOOK_MS = 120_000
"""The page looks every 30 s, and again where the API was away."""


def landed_at(page: Page) -> list[float]:
    """When the page is told that its transaction has landed, once it is."""
    found: list[float] = []

    def look(answer: Response) -> None:
        if "/api/transactions" in answer.url and answer.status == 200 and answer.json()["status"] == "landed":
            found.append(time.time())

    page.on("response", look)
    return found


def notified(visit: Visit, said: str, timeout: int = 15_000) -> None:
    """Waits until the browser has shown a notification."""
    visit.page.wait_for_function("said => window.noted.some(each => each.includes(said))", arg=said, timeout=timeout)


def test_outbid__in_another_browser__is_seen_within_a_second_and_notified(browser: Browser, up: UpProcess) -> None:
    url = up.ready["api_url"]
    with visiting(browser, url, still=True) as holder, visiting(browser, url, still=True) as bidder:
        holder.context.grant_permissions(["notifications"], origin=url)
        holder.context.add_init_script(NOTED)
        listing = free_machine(holder)
        spot(holder, listing)
        run(holder)
        holder.page.get_by_role("banner").get_by_role("button").last.click()
        purse = holder.page.get_by_role("dialog", name="Your wallet")
        purse.get_by_role("button", name="Notify me", exact=True).click()
        expect(purse.get_by_role("button", name="Stop notifications")).to_be_visible()
        assert holder.violations() == []
        holder.page.keyboard.press("Escape")
        holder.page.evaluate(SEEN)

        spot(bidder, listing)
        expect(bidder.page.get_by_text("The lowest winning bid now is")).to_be_visible()
        landed = landed_at(bidder.page)
        reviewed(bidder).get_by_role("button", name=SIGN).click()
        expect(bidder.page.get_by_text("Waiting for the machine's holder to leave").first).to_be_visible()
        holder.page.wait_for_function("() => window.seenAt > 0")
        seen = float(holder.page.evaluate("window.seenAt")) / 1_000
        assert landed and seen - landed[0] <= WITHIN_SECONDS
        notified(holder, "a better order waits. It gets the machine in")
        assert holder.violations() == []
        up.warp(GRACE_SECONDS + 1)
        notified(holder, "Your rental has ended. A better order has its machine now.", timeout=60_000)
        bidder.forget_missing()


def test_notices__of_a_rental_that_ends_soon__come_once(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        visit.context.grant_permissions(["notifications"], origin=visit.url)
        visit.context.add_init_script(NOTED)
        visit.context.add_init_script("localStorage.setItem('notices', 'on')")
        newcomer(visit, free_machine(visit))
        visit.page.get_by_label("Hours").fill("24")
        expect(visit.page.get_by_label("What it costs")).to_contain_text("Into escrow for 1 d")
        run(visit)
        up.warp(DAY_SECONDS - 300)
        notified(visit, "minutes are left. Extend it", timeout=LOOK_MS)
        visit.page.reload()
        notified(visit, "minutes are left. Extend it", timeout=LOOK_MS)
        up.warp(600)
        notified(visit, "Your rental has ended. Its paid time is over.", timeout=60_000)
        assert len(visit.page.evaluate("window.noted")) == 2
