"""Renting in a browser, with a wallet that shows nothing itself: what the page shows is what is signed."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.keypair import Keypair

from tests.dashboard.visit import Visit, visiting
from tests.dashboard.wallet import SIGN, connect, give_wallet, sign
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

MACHINE = {"gpu": "nvidia-h100-pcie-80gb", "available": "true", "limit": "1"}


@pytest.fixture
def listing(up: UpProcess) -> str:
    """A free machine."""
    [found] = httpx.get(f"{up.ready['api_url']}/api/marketplace/listings", params=MACHINE, timeout=PATIENCE).json()[
        "listings"
    ]
    return str(found["id"])


@pytest.fixture
def renter(up: UpProcess) -> Keypair:
    """The funded test wallet."""
    return Keypair.from_json(Path(up.ready["wallet"]).read_text())


def order(visit: Visit, listing: str, *, on_device: bool = False) -> None:
    """Connects the wallet and fills in an order, up to what is to be signed."""
    page = visit.page
    page.goto(f"{visit.url}/listings/{listing}")
    page.get_by_role("link", name="Rent this machine").click()
    connect(visit, on_device=on_device)
    page.get_by_label("Hours").fill("3")
    page.get_by_role("button", name="Review the order").click()


def test_rent__signed_in_the_browser__runs_opens_and_refunds_to_the_base_unit(
    browser: Browser, up: UpProcess, listing: str, renter: Keypair
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        asked = give_wallet(visit.context, renter)
        page = visit.page
        order(visit, listing)
        expect(page.get_by_role("dialog")).to_contain_text("At most")
        assert visit.violations() == [] and asked == []
        page.get_by_role("button", name=SIGN).click()
        expect(page.get_by_text("running", exact=True).first).to_be_visible()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        assert asked == ["message", "v0"] and visit.violations() == []

        visit.forget_missing()

        page.reload()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        page.get_by_role("button", name="Stop and get the rest back").click()
        sign(visit)
        expect(page.get_by_role("button", name="Stop and get the rest back")).to_have_count(0)
        job = httpx.get(
            f"{up.ready['api_url']}/api/jobs/{page.url.rpartition('/')[2].removesuffix('?landed')}", timeout=PATIENCE
        ).json()
        assert job["ended_at"] and job["renter"] == str(renter.pubkey())
        assert int(job["deposit"]) == int(job["cost"]) + int(job["refunded"])
        shown = page.locator("dt", has_text="Refunded").locator("xpath=following-sibling::dd/span")
        expect(shown).to_have_attribute("title", f"{job['refunded']} base units of {job['mint']}")


@pytest.mark.parametrize(("versions", "asked_for"), [(["legacy", 0, 1], "v1"), (["legacy", 0], "v0")])
def test_rent__wallet_of_these_versions__is_asked_for_the_newest_of_them(
    browser: Browser, up: UpProcess, listing: str, renter: Keypair, versions: list[str | int], asked_for: str
) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        asked = give_wallet(visit.context, renter, versions=versions)
        order(visit, listing)
        visit.page.get_by_role("button", name=SIGN).click()
        expect(visit.page.get_by_text("running", exact=True).first).to_be_visible()
        visit.forget_missing()
    assert asked == ["message", asked_for]


def test_rent__key_on_a_hardware_wallet__hands_over_an_off_chain_message(
    browser: Browser, up: UpProcess, listing: str, renter: Keypair
) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        asked = give_wallet(visit.context, renter, on_device=True)
        order(visit, listing, on_device=True)
        visit.page.get_by_role("button", name=SIGN).click()
        expect(visit.page.get_by_text("running", exact=True).first).to_be_visible()
        visit.forget_missing()
    assert asked == ["message", "v0"]


def test_rent__order_under_review__is_not_quoted_beside_it(
    browser: Browser, up: UpProcess, listing: str, renter: Keypair
) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        give_wallet(visit.context, renter)
        order(visit, listing)
        dialog = visit.page.get_by_role("dialog")
        expect(dialog).to_contain_text("At most")
        with visit.page.expect_request("**/api/jobs"):
            visit.page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)


def test_rent__transaction_of_another_machine__is_refused_before_it_is_signed(
    browser: Browser, up: UpProcess, listing: str, renter: Keypair
) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        asked = give_wallet(visit.context, renter)
        others = {"gpu": "nvidia-rtx-4090-24gb", "available": "true", "limit": "1"}
        [other] = httpx.get(f"{visit.url}/api/marketplace/listings", params=others, timeout=PATIENCE).json()["listings"]

        def tamper(route, request) -> None:  # type: ignore[no-untyped-def]
            body = request.post_data_json | {"listing": other["id"], "spec_version": None, "duration": 36_000}
            route.fulfill(response=route.fetch(post_data=body))

        visit.page.route("**/api/jobs", tamper)
        order(visit, listing)
        alert = visit.page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("is not what was asked for")
        expect(visit.page.get_by_role("button", name=SIGN)).to_be_disabled()
        assert asked == []
