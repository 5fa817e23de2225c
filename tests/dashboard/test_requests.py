"""A request from the page: it is matched by a keeper, its order handed over, and the machine runs."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from solders.keypair import Keypair

from tests.dashboard.visit import PHONE, Visit, visiting
from tests.dashboard.wallet import connect, connect_burner, give_wallet, sign
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

GPU = "nvidia-a100-sxm4-80gb"
MATCHED_MS = 60_000


def fill(page: Page, price: str) -> None:
    """A request for a day, up to its review."""
    page.get_by_label("At most, $ an hour").fill(price)
    page.get_by_label("Hours", exact=True).fill("24")
    page.get_by_role("button", name="Review the request").click()
    expect(page.get_by_role("dialog", name="Request A100 SXM4 80GB")).to_contain_text("can leave your wallet")


def told(visit: Visit, wallet: str) -> dict[str, object]:
    """The wallet's only request, as the API has it."""
    [found] = httpx.get(f"{visit.url}/api/requests", params={"renter": wallet}, timeout=PATIENCE).json()["requests"]
    return dict(found)


def test_request__matched__is_handed_over_by_the_wallet_and_runs(browser: Browser, up: UpProcess) -> None:
    key = Keypair()
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        wallet = str(key.pubkey())
        httpx.post(f"{visit.url}/api/faucet", json={"wallet": wallet}, timeout=PATIENCE).raise_for_status()
        asked = give_wallet(visit.context, key)
        page = visit.page
        page.goto(f"{visit.url}/request?gpu={GPU}")
        connect(visit)
        page.get_by_role("button", name="Review the request").click()
        expect(page.get_by_role("alert")).to_contain_text("Give dollars an hour")
        assert visit.violations() == []
        fill(page, "1.40")
        assert visit.violations() == []
        sign(visit)
        expect(page).to_have_url(f"{visit.url}/jobs?show=requests")
        expect(page.get_by_text("A machine was found.")).to_be_visible(timeout=MATCHED_MS)
        assert asked == ["v0"] and visit.violations() == []
        page.get_by_role("button", name="Hand the order over").click()
        expect(page.get_by_text("A machine was found.")).to_have_count(0)
        assert asked == ["v0", "message"]
        page.get_by_role("row", name="matched").get_by_role("link").click()
        expect(page.get_by_text("running", exact=True).first).to_be_visible()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        request = told(visit, wallet)
        assert page.url == f"{visit.url}/jobs/{request['job']}" and request["gpu"] == GPU
        assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('document')).length") == 0


def test_request__too_cheap_for_any_machine__waits_and_is_withdrawn(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        page = visit.page
        page.goto(f"{visit.url}/request?gpu={GPU}")
        connect_burner(visit)
        page.get_by_label("us-east").check()
        fill(page, "0.25")
        sign(visit)
        row = page.get_by_role("row", name="open")
        expect(row).to_contain_text(re.compile(r"us-east.*\$0\.25/h"))
        assert visit.violations() == [] and not visit.overflows()
        row.get_by_role("button", name="Cancel").click()
        sign(visit)
        expect(page.get_by_role("row", name="cancelled")).to_be_visible()


def test_request__by_a_test_wallet__is_handed_over_in_another_tab_by_itself(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.page
        page.goto(f"{visit.url}/request?gpu={GPU}")
        connect_burner(visit)
        other = visit.context.new_page()
        other.goto(f"{visit.url}/jobs?show=requests")
        expect(other.get_by_text("No request yet")).to_be_visible()
        fill(page, "1.40")
        page.get_by_role("button", name="Sign and send").click()
        page.wait_for_url("**/jobs?show=requests")
        page.close()
        row = other.get_by_role("row", name="matched")
        expect(row).to_be_visible(timeout=MATCHED_MS)
        row.get_by_role("link").click()
        expect(other.get_by_text("running", exact=True).first).to_be_visible()
