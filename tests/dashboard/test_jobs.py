"""A rental's page: meter, extension, rating, report, stop and receipts; what is shown is what the chain says."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.dashboard.visit import PHONE, Visit, visiting
from tests.dashboard.wallet import connect_burner, sign
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

MACHINE = {"gpu": "nvidia-a100-sxm4-80gb", "available": "true", "limit": "1"}


def rent(visit: Visit) -> dict[str, Any]:
    """Rents a machine with a test wallet of the browser, up to its running."""
    page = visit.page
    [machine] = httpx.get(f"{visit.url}/api/marketplace/listings", params=MACHINE, timeout=PATIENCE).json()["listings"]
    page.goto(f"{visit.url}/rent/{machine['id']}")
    connect_burner(visit)
    page.get_by_label("Hours").fill("4")
    page.get_by_role("button", name="Review the order").click()
    sign(visit)
    expect(page.get_by_text("running", exact=True).first).to_be_visible()
    visit.forget_missing()
    return told(visit)


def told(visit: Visit) -> dict[str, Any]:
    """The job of the page, as the API answers it."""
    path = visit.page.url.removeprefix(visit.url).partition("?")[0]
    return httpx.get(f"{visit.url}/api{path}", timeout=PATIENCE).raise_for_status().json()  # type: ignore[no-any-return]


def stat(page: Page, label: str) -> Locator:
    """A figure of the meter."""
    return page.locator("dt", has_text=label).locator("xpath=following-sibling::dd[1]")


def test_job__used_to_its_end__is_what_the_chain_says(browser: Browser, up: UpProcess, tmp_path: Path) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        job, page = rent(visit), visit.page
        used = stat(page, "Used")
        before = used.inner_text()
        expect(used).not_to_have_text(before)

        page.get_by_role("button", name="Extend").click()
        page.get_by_label("More hours").fill("1.5")
        assert visit.violations() == []
        page.get_by_role("button", name="Review the extension").click()
        sign(visit)
        expect(page.get_by_text("of 5 h 30 min")).to_be_visible()
        assert told(visit)["duration"] == job["duration"] + 5_400

        page.get_by_role("button", name="Rate", exact=True).click()
        page.get_by_label("4", exact=True).check()
        page.get_by_role("button", name="Review the rating").click()
        sign(visit)
        expect(page.get_by_text("4 of 5", exact=True)).to_be_visible()

        page.get_by_role("button", name="Report a problem").click()
        page.get_by_label("What is wrong").select_option("not-as-listed")
        expect(page.get_by_text("stopping then costs no minimum")).to_be_visible()
        page.get_by_label("What is wrong").select_option("slow")
        page.get_by_role("button", name="Review the report").click()
        sign(visit)
        expect(page.get_by_text("It is slower than listed", exact=True)).to_be_visible()

        back = stat(page, "Back if stopped now")
        expect(back).to_be_visible()
        page.get_by_role("button", name="Stop and get the rest back").click()
        dialog = page.get_by_role("dialog", name="Stop this rental")
        shown = dialog.get_by_role("row", name="refund").get_by_role("cell").first
        expect(shown).to_contain_text("GPUM")
        refund = shown.inner_text().split()[0]
        sign(visit)
        expect(stat(page, "Came back")).to_be_visible()
        ended = told(visit)
        assert ended["rating"] == 4 and [each["issue"] for each in ended["issues"]] == ["slow"]
        assert int(ended["deposit"]) == int(ended["cost"]) + int(ended["refunded"])
        came = stat(page, "Came back").inner_text()
        assert int(came.replace(".", "").ljust(len(came.split(".")[0]) + 6, "0")) == int(ended["refunded"])
        assert float(refund) >= float(came), "the refund that was shown first is of an earlier second"

        receipt = page.get_by_role("group", name="Receipt")
        expect(receipt.get_by_role("row", name="Came back")).to_contain_text(ended["close_tx"][:4])
        assert visit.violations() == []
        page.get_by_role("link", name="My rentals").first.click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save as CSV").click()
        saved.value.save_as(tmp_path / "rentals.csv")
        [row] = csv.DictReader(io.StringIO((tmp_path / "rentals.csv").read_text()))
        assert row["job"] == ended["id"] and row["refunded"] == came and row["token"] == "GPUM"


def test_jobs__on_a_phone__each_row_fits_with_all_that_it_says(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        job = rent(visit)
        page = visit.open("/jobs")
        table = page.get_by_role("group", name="Your rentals")
        expect(table).to_contain_text(job["message"])
        for label in ("Opened", "Kind", "Burned"):
            expect(table.get_by_role("cell", name=label)).to_have_count(1)
        assert visit.pushed_off() == [] and visit.violations() == [] and not visit.overflows()


@pytest.mark.parametrize(("shown", "empty"), [("requests", "No request yet"), ("bids", "No bid yet")])
def test_jobs__requests_and_bids__are_lists_of_their_own(
    browser: Browser, up: UpProcess, shown: str, empty: str
) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        page = visit.page
        page.goto(f"{visit.url}/jobs?show={shown}")
        connect_burner(visit)
        expect(page.get_by_text(empty)).to_be_visible()
        assert visit.violations() == [] and not visit.overflows()
