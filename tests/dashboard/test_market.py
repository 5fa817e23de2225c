"""The market's filters and sorting: what the page lists is what the API lists for the same question."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from local_market.names import NAMES
from tests.dashboard.visit import Visit, visiting
from tests.e2e.seeded import UpProcess
from tests.indexer.databases import in_time
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

CHOICES = {
    "gpu": ("nvidia-h100-pcie-80gb", {"gpu": "nvidia-h100-pcie-80gb"}),
    "region": ("eu-west", {"region": "eu-west"}),
    "min_gpu_count": ("4", {"min_gpu_count": "4"}),
    "min_vram_gb": ("80", {"min_vram_gb": "80"}),
    "min_disk_gb": ("1000", {"min_disk_gb": "1000"}),
    "min_net_down_mbps": ("5000", {"min_net_down_mbps": "5000"}),
    "min_cuda": ("12.4", {"min_cuda": "12.4"}),
    "min_score_bps": ("50", {"min_score_bps": "5000"}),
}
"""A choice for each filter, and the API's parameters for it."""
TICKED = {"available": "true", "spot": "true"}
SORTED = {
    **{
        "Machine": "model",
        "GPUs": "gpu_count",
        "Region": "region",
        "spot from": "spot_price",
        "VRAM": "vram",
        "Disk": "disk",
    },
    **{"Network": "net_down", "CUDA": "cuda", "Host, score": "score"},
}
"""The columns that sort beside the price, which sorts unless asked otherwise."""
ROWS = "tbody tr[aria-rowindex]"
READ_ROWS = """all => all.map(row => [
  row.querySelector("a[href^='/listings/']").getAttribute("href"),
  ...[".price", ".market", ".spot"].map(cell => row.querySelector(`td${cell}`).innerText.split("\\n")[0].trim()),
])"""
"""A row's machine, and its prices: on demand, before fees, and spot."""
MOST_COMPARED = 10


def is_said(said: str, price: dict[str, Any] | None) -> bool:
    """True if a cell has a price of the API, to the micro-USD."""
    if price is None:
        return said == "\u2013"
    return Decimal(said.removeprefix("$")) == Decimal(price["micro_usd_per_hour"]) / 10**6


def same(visit: Visit, asked: dict[str, str]) -> None:
    """Waits until the first rows are the API's for this question, and as many as it has up to those."""
    limit = str(MOST_COMPARED)

    def compared() -> None:
        listings = httpx.get(
            f"{visit.url}/api/marketplace/listings", params=asked | {"limit": limit}, timeout=PATIENCE
        ).json()["listings"]
        rows: list[list[str]] = visit.page.locator(ROWS).evaluate_all(READ_ROWS)
        assert [link.rpartition("/")[2] for link, *_ in rows[:MOST_COMPARED]] == [each["id"] for each in listings]
        for (_, *cells), listing in zip(rows, listings, strict=False):
            rates = {each["kind"]: each for each in listing["rates"] if each["mint"] == listing["rates"][0]["mint"]}
            prices = rates.get("on-demand"), listing["market_rate"], rates.get("spot")
            assert all(is_said(said, price) for said, price in zip(cells, prices, strict=True)), (cells, listing)

    in_time(compared)


def cleared(page: Page) -> None:
    """Without any filter."""
    clear = page.get_by_role("form", name="Filter machines").get_by_role("button", name="Clear")
    clear.click()
    expect(clear).to_have_count(0)


def test_market__each_filter__lists_what_the_api_does(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/")
        form = page.get_by_role("form", name="Filter machines")
        for name, (value, asked) in CHOICES.items():
            form.locator(f"select[name={name}]").select_option(value)
            same(visit, asked)
            cleared(page)
        for name, ticked in TICKED.items():
            form.locator(f"input[name={name}]").check()
            same(visit, {name: ticked})
            cleared(page)
        form.locator("input[name=max_price]").fill("1.5")
        same(visit, {"max_price": "1500000"})
        form.locator("select[name=region]").select_option("eu-west")
        same(visit, {"max_price": "1500000", "region": "eu-west"})
        cleared(page)
        same(visit, {})


def test_market__each_column__sorts_both_ways_as_the_api_does(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/")
        for label, sort in SORTED.items():
            head = page.locator("thead th[aria-sort]", has=page.get_by_role("button", name=label))
            button = head.get_by_role("button")
            button.click()
            expect(head).not_to_have_attribute("aria-sort", "none")
            same(visit, {"sort": sort})
            first = head.get_attribute("aria-sort")
            button.click()
            expect(head).to_have_attribute("aria-sort", "descending" if first == "ascending" else "ascending")
            same(visit, {"sort": sort, "order": "desc" if first == "ascending" else "asc"})
        assert visit.violations() == []


def test_hosts__of_a_market_that_names_them__are_shown_by_their_names(browser: Browser, up: UpProcess) -> None:
    names = set(httpx.get(f"{up.ready['api_url']}/api/host-names", timeout=PATIENCE).json()["names"].values())
    assert names == set(NAMES.values())
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open("/")
        expect(page.locator("tbody td.host").first).to_contain_text(re.compile("|".join(names)))
        table = visit.open("/hosts").get_by_role("group", name="Hosts")
        for name in names:
            expect(table).to_contain_text(name)
        table.get_by_role("row", name=NAMES["eu-west"]).get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(NAMES["eu-west"])
        visit.settle()
        page.get_by_role("group", name="Machines").get_by_role("link").first.click()
        expect(page.get_by_text(NAMES["eu-west"])).to_be_visible()


def test_search__saved_in_the_browser__tells_of_a_machine_that_comes_to_fit(browser: Browser, up: UpProcess) -> None:
    path, model = (
        "/?gpu=nvidia-h100-pcie-80gb&region=ap-south",
        ("--gpu", "nvidia-h100-pcie-80gb", "--region", "ap-south"),
    )
    job = up.console.lines("rent", *model, "--duration", "1h", "--wait")[0]
    listing = f"{up.ready['api_url']}/api/marketplace/listings/{job['listing']}"

    def is_rented() -> None:
        assert httpx.get(listing, timeout=PATIENCE).json()["status"] == "rented"

    in_time(is_rented)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open(path)
        with page.expect_response(lambda answer: "sort=newest" in answer.url):
            page.get_by_role("button", name="Tell me when one fits").click()
        expect(page.get_by_role("button", name="Stop telling me")).to_be_visible()
        up.console.run("stop", job["id"])
        page.get_by_role("link", name="H100 PCIe fits your search.").click()
        expect(page).to_have_url(f"{visit.url}/listings/{job['listing']}")
        expect(page.get_by_role("link", name="H100 PCIe fits your search.")).to_have_count(0)
        visit.open(f"{path}&sort=score&min_cuda=any")
        page.get_by_role("button", name="Stop telling me").click()
        assert page.evaluate("JSON.parse(localStorage.searches)") == []
