"""Each page of the dashboard in a browser, over a running market."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Request, Route, expect

from tests.dashboard.visit import PHONE, visiting
from tests.docs.pages import ROOT
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

PAGES = {
    "market": "/",
    "model": "/gpus/nvidia-h100-pcie-80gb",
    "listing": "/listings/{listing}",
    "network": "/network",
    "hosts": "/hosts",
    "host": "/hosts/{host}",
    "hosting": "/hosting",
    "rent": "/rent/{free}",
    "request": "/request",
    "jobs": "/jobs",
    "account": "/account",
    "job": "/jobs/{job}",
    "staking": "/staking",
    "governance": "/governance",
    "propose": "/governance/propose",
    "status": "/status",
    "templates": "/templates",
    "nowhere": "/no/such/page",
}
ELSEWHERE = {"/governance/:id": "test_governance.py"}
"""Pages of what a market has only by what a test does in it."""
ADDRESS_OF_33_BYTES = "1" * 33
BAD = [
    *(f"/{place}/{id}" for place in ("jobs", "listings", "rent", "hosts") for id in ("abc", ADDRESS_OF_33_BYTES)),
    "/jobs/%E0%A4%A",
    "/gpus/H100 PCIe",
    "/governance/first",
    "/governance/1e3",
]
TRIED_UNTIL_WHOLE = """() => {
  const again = [...document.querySelectorAll("button")].filter((each) => each.textContent === "Try again");
  for (const each of again) each.click();
  return !again.length && !document.body.innerText.includes("Reading ");
}"""
"""Most reads are tried again by themselves, whose buttons go."""
SHOWN = "() => document.querySelectorAll('tbody tr').length > 20"
FEW_REQUESTS, FEW_BYTES = 24, 130_000
"""Until a browser without a cache shows the machines: 20 and 104 kB, a quarter of a second on loopback."""


@pytest.fixture(scope="module")
def paths(up: UpProcess) -> dict[str, str]:
    """A path of each page that this market has something for; one machine is rented."""
    up.console.run("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "2h", "--wait")
    job, *_ = httpx.get(f"{up.ready['api_url']}/api/jobs", timeout=PATIENCE).json()["jobs"]
    listing = httpx.get(f"{up.ready['api_url']}/api/marketplace/listings/{job['listing']}", timeout=PATIENCE).json()
    free = httpx.get(f"{up.ready['api_url']}/api/marketplace/listings?available=true", timeout=PATIENCE).json()[
        "listings"
    ][0]["id"]
    own = {"job": job["id"], "free": free, "listing": listing["id"], "host": listing["host_authority"]}
    return {name: path.format(**own) for name, path in PAGES.items()}


def test_pages__all_that_the_router_knows__are_looked_at_by_axe() -> None:
    routes = set(re.findall(r'path: "(/[^"]*)"', (ROOT / "dashboard/src/pages/index.ts").read_text()))
    looked_at = {
        route
        for route in routes
        for path in set(PAGES.values()) - (routes - {route})
        if re.fullmatch(re.sub(r":\w+", "[^/]+", route), path)
    }
    assert routes - looked_at == set(ELSEWHERE) and len(routes) > 15
    for file in ELSEWHERE.values():
        assert "violations()" in Path(__file__).with_name(file).read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_page__in_light_and_dark__has_no_violation_of_axes_rules(
    browser: Browser, up: UpProcess, paths: dict[str, str], name: str, scheme: Literal["light", "dark"]
) -> None:
    with visiting(browser, up.ready["api_url"], scheme=scheme, still=True) as visit:
        visit.open(paths[name])
        assert visit.violations() == []


@pytest.mark.parametrize("name", PAGES)
def test_page__on_a_phone__fits_and_has_no_violation(
    browser: Browser, up: UpProcess, paths: dict[str, str], name: str
) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        visit.open(paths[name])
        assert visit.pushed_off() == []
        assert not visit.overflows() and visit.violations() == []


def test_market__opened__asks_for_little_before_it_shows_machines(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        answered: list[Request] = []
        visit.page.on("requestfinished", lambda request: answered.append(request))  # noqa: PLW0108
        visit.page.goto(visit.url)
        visit.page.wait_for_function(SHOWN)
        sizes = [request.sizes()["responseBodySize"] for request in answered]
    assert len(sizes) <= FEW_REQUESTS
    assert 0 < sum(sizes) <= FEW_BYTES


def test_market__verified_and_measured__are_asked_of_the_api(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/")
        with page.expect_request(lambda request: "verified=true" in request.url):
            page.get_by_label("Verified").check()
        expect(page).to_have_url(f"{visit.url}/?verified=yes")
        with page.expect_request(lambda request: "min_driver=550" in request.url and "verified=true" in request.url):
            page.get_by_label("Driver, at least").select_option("550")
        expect(page).to_have_url(f"{visit.url}/?verified=yes&min_driver=550")


def test_market__keyboard_only__filters_sorts_and_opens_a_machine(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/")
        page.keyboard.press("Tab")
        expect(page.get_by_text("Skip to the page")).to_be_focused()
        page.locator("select[name=region]").focus()
        page.keyboard.type("ap-south")
        expect(page).to_have_url(f"{visit.url}/?region=ap-south")
        rows = page.get_by_role("table").nth(1).get_by_role("row")
        expect(rows).to_have_count(9)
        page.get_by_role("button", name="$/h").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{visit.url}/?region=ap-south&order=desc")
        expect(rows.nth(1)).to_contain_text("$3.49")
        rows.nth(1).get_by_role("link").focus()
        page.keyboard.press("Enter")
        expect(page.locator("main h1")).to_have_text("4 \u00d7 H100 SXM5 80GB")
        expect(page).to_have_title("Machine · gpu-market")
        page.go_back()
        expect(rows).to_have_count(9)


def test_market__machine_rented_meanwhile__is_told_by_the_feed(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/")
        cell = page.get_by_role("button", name="H200 SXM5 in us-central")
        expect(cell).to_have_accessible_name("H200 SXM5 in us-central, free: 1/1")
        model = ["--gpu", "nvidia-h200-sxm5-141gb", "--region", "us-central"]
        up.console.run("rent", *model, "--duration", "1h", "--wait")
        expect(cell).to_have_accessible_name("H200 SXM5 in us-central, free: 0/1")


def test_listing__of_an_unknown_machine__says_so_with_a_remedy(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        visit.page.goto(f"{visit.url}/listings/{'1' * 32}")
        alert = visit.page.get_by_role("alert")
        expect(alert).to_contain_text("There is no listing")
        expect(alert.get_by_role("button", name="Try again")).to_be_visible()
        visit.forget_missing()


def test_page__market_gone_offline__keeps_what_it_has_and_says_so(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"]) as visit:
        page = visit.open("/network")
        visit.context.set_offline(True)
        expect(page.get_by_text("You are offline")).to_be_visible()
        expect(page.get_by_text("Machines online")).to_be_visible()
        visit.context.set_offline(False)
        expect(page.get_by_text("You are offline")).to_have_count(0)
        visit.complaints.clear()


def test_colours__turned__are_kept_over_a_reload(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], scheme="light") as visit:
        page = visit.open("/status")
        button = page.get_by_role("button", name="Colours")
        button.click()
        button.click()
        expect(button).to_have_accessible_name("Colours: dark. Change")
        page.reload()
        visit.settle()
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_link__bad_ids__lead_to_a_page_with_a_way_on_and_leave_the_feed_alone(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        for path in BAD:
            page = visit.open(path)
            expect(page.locator("main h1")).to_have_text("There is no such page")
            assert not visit.overflows()
        page.get_by_role("link", name="Go to the market").click()
        visit.settle()
        expect(page.locator("main table").first).to_be_visible()


@pytest.mark.parametrize("name", [name for name in PAGES if name != "nowhere"])
def test_page__first_reads_fail__recovers_by_itself_or_by_its_buttons(
    browser: Browser, up: UpProcess, paths: dict[str, str], name: str
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.page
        asked: set[str] = set()

        def fails_once(route: Route) -> None:
            url = route.request.url
            if url in asked or "/api/feed" in url:
                route.continue_()
                return
            asked.add(url)
            problem = {"error": "database_busy", "detail": "The database is busy.", "remedy": "Try again."}
            route.fulfill(status=503, json=problem, content_type="application/problem+json")

        page.route("**/api/**", fails_once)
        page.goto(visit.url + paths[name])
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
        page.wait_for_function(TRIED_UNTIL_WHOLE, polling=200)
        expect(page.locator("main h1")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        visit.complaints[:] = [each for each in visit.complaints if "status of 503" not in each]
