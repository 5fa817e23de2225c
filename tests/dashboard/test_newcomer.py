"""A newcomer with nothing but a browser rents by two clicks, and takes the wallet's key along."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.keypair import Keypair

from tests.dashboard.visit import PHONE, Visit, visiting
from tests.dashboard.wallet import SIGN
from tests.docs.pages import ROOT
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

TRY = "Try it with a test wallet"


def picture(visit: Visit, config: pytest.Config, name: str) -> None:
    """Writes a page as the documentation shows it, if that was asked for."""
    if config.getoption("--pictures"):
        visit.page.screenshot(path=ROOT / "docs" / name)


def test_newcomer__two_clicks__has_a_machine_running(
    browser: Browser, up: UpProcess, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open("/")
        expect(page.get_by_role("button", name=TRY)).to_be_visible()
        picture(visit, pytestconfig, "dashboard.png")
        page.get_by_role("button", name=TRY).click()
        dialog = page.get_by_role("dialog", name="Rent H100 PCIe")
        expect(dialog).to_contain_text("can leave your wallet")
        expect(page.get_by_label("What it costs")).to_contain_text("You hold 1,000 GPUM.")
        assert visit.violations() == []
        picture(visit, pytestconfig, "dashboard-rent.png")
        dialog.get_by_role("button", name=SIGN).click()
        expect(page.get_by_text("running", exact=True).first).to_be_visible()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        visit.forget_missing()

        page.get_by_role("banner").get_by_role("button").last.click()
        purse = page.get_by_role("dialog", name="Your wallet")
        expect(purse).to_contain_text("986.2 GPUM")
        with page.expect_download() as saved:
            purse.get_by_role("button", name="Save the key as a file").click()
        saved.value.save_as(tmp_path / "burner.json")
        assert visit.violations() == []
        job = httpx.get(
            f"{visit.url}/api/jobs/{page.url.rpartition('/')[2].removesuffix('?landed')}", timeout=PATIENCE
        ).json()
    assert (
        Keypair.from_bytes(bytes(json.loads((tmp_path / "burner.json").read_text()))).pubkey().__str__()
        == job["renter"]
    )
    stopped = up.console.json("stop", job["id"], "--keypair", str(tmp_path / "burner.json"))
    assert stopped


def test_burner__two_tabs__are_one_wallet_until_it_is_deleted(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        page = visit.open("/jobs")
        other = visit.context.new_page()
        other.goto(f"{visit.url}/jobs")
        wallet = page.get_by_role("banner").get_by_role("button").last
        wallet.click()
        page.get_by_role("button", name="Use a test wallet of this browser").click()
        expect(wallet).to_contain_text("…")
        expect(other.get_by_role("banner").get_by_role("button").last).to_have_text(wallet.inner_text())
        page.reload()
        # Until the page knows its wallet, the last button is another one.
        visit.settle()
        expect(wallet).to_contain_text("…")
        wallet.click()
        purse = page.get_by_role("dialog", name="Your wallet")
        expect(purse).to_contain_text("1,000 GPUM")
        assert visit.violations() == [] and not visit.overflows()
        purse.get_by_role("button", name="Get test tokens").click()
        expect(purse.get_by_role("alert")).to_contain_text("still holds at least half of each gift")
        visit.complaints[:] = [each for each in visit.complaints if "409" not in each]
        purse.get_by_role("button", name="Delete the wallet").click()
        purse.get_by_role("button", name="Delete it for ever").click()
        expect(wallet).to_have_text("Connect a wallet")
        expect(other.get_by_role("banner").get_by_role("button").last).to_have_text("Connect a wallet")
        assert page.evaluate("localStorage.getItem('burner')") is None
