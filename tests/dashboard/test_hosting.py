"""A host's own page: machines are listed, changed, hidden and closed; earnings and the lock are the chain's."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from solders.keypair import Keypair

from anchor_client.market import Market
from indexer.api.routes.acts.listings import Spec
from tests.dashboard.conftest import keys
from tests.dashboard.visit import PHONE, Visit, visiting
from tests.dashboard.wallet import enter, sign
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

GPU = "nvidia-rtx-4090-24gb"
MACHINE = {
    **{"Price, $ an hour": "3.10", "Least spot bid, $ an hour": "1.5", "CPU cores": "32", "RAM, GB": "256"},
    **{"Disk, GB": "2000", "Disk, MB/s": "3000", "Upload, Mb/s": "1000", "Download, Mb/s": "2500", "CUDA": "12.4"},
    **{"Workspaces kept, days": "30"},
}

PLAIN = {
    **{"gpu_count": 1, "vram_gb": 24, "cpu_cores": 8, "ram_gb": 64, "disk_kind": "nvme", "disk_gb": 500},
    **{"disk_mbps": 2_000, "net_up_mbps": 500, "net_down_mbps": 900, "cuda": 1_204},
    **{"on_demand_usd": 500_000, "mrl_seconds": 86_400},
}


def address_of(up: UpProcess, key: Path) -> str:
    """A key file's address."""
    return str(up.console.json("wallet", "show", "--keypair", str(key))["address"])


def machines(visit: Visit, wallet: str) -> list[dict[str, Any]]:
    """A host's, as the API lists them."""
    query = {"host": wallet}
    found: list[dict[str, Any]] = httpx.get(
        f"{visit.url}/api/marketplace/listings", params=query, timeout=PATIENCE
    ).json()["listings"]
    return found


def own(page: Page, name: str) -> Locator:
    """A section of the page."""
    return page.get_by_role("region", name=name, exact=True)


def test_listing__made_changed_hidden_and_closed__is_what_the_chain_says(
    browser: Browser, up: UpProcess, host: Path
) -> None:
    wallet = address_of(up, host)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, host)
        page = visit.open("/hosting")
        section = own(page, "Machines")
        expect(section).to_contain_text("No machine is listed yet")
        section.get_by_role("button", name="List a machine").click()
        form = page.get_by_role("form", name="A new machine")
        form.get_by_role("button", name="Review it").click()
        expect(form.get_by_role("alert")).to_contain_text("Choose the model of its GPUs.")
        form.get_by_label("Model").select_option("nvidia-h200-sxm5-141gb")
        expect(form.get_by_label("VRAM of each, GB")).to_have_value("141")
        form.get_by_label("Region").select_option("eu-west")
        for label, value in MACHINE.items():
            form.get_by_label(label, exact=True).fill(value)
        assert visit.violations() == []
        form.get_by_role("button", name="Review it").click()
        expect(page.get_by_role("dialog", name="List a machine")).to_contain_text("at $3.10 an hour")
        assert visit.violations() == []
        sign(visit)
        row = section.get_by_role("row", name="H200 SXM5")
        expect(row).to_contain_text("never")
        [listing] = machines(visit, wallet)
        expected = {
            "gpu_count": 1,
            "cpu_cores": 32,
            "cuda": "12.4",
            "spot_min_usd": 1_500_000,
            "max_duration": 2_592_000,
        }
        assert {name: listing[name] for name in expected} == expected

        up.console.run("host", "heartbeat", "--keypair", str(host))
        expect(row).to_contain_text("free")
        job = up.console.json("rent", "--listing", listing["id"], "--duration", "6h")
        orders = own(page, "Pending orders")
        expect(orders.get_by_role("row", name="queued")).to_contain_text("H200 SXM5")
        up.console.run("stop", job["id"])
        expect(orders).to_contain_text("No order is waiting")

        section.get_by_role("button", name="Change No. 0").click()
        form = page.get_by_role("form", name="Machine No. 0")
        form.get_by_label("Price, $ an hour").fill("2.95")
        form.get_by_role("button", name="Review it").click()
        sign(visit)
        expect(row).to_contain_text("$2.95")
        section.get_by_role("button", name="Hide No. 0").click()
        sign(visit)
        expect(row).to_contain_text("hidden")
        assert machines(visit, wallet)[0] | {"spec_version": 0} == listing | {
            **{"spec_version": 0, "status": "hidden"},
            **{name: machines(visit, wallet)[0][name] for name in CHANGED},
        }
        section.get_by_role("button", name="Show No. 0").click()
        sign(visit)
        section.get_by_role("button", name="Close No. 0").click()
        sign(visit)
        expect(section).to_contain_text("No machine is listed yet")
        assert machines(visit, wallet) == []
        assert visit.violations() == [] and not visit.overflows()


CHANGED = (
    *("market_rate", "rates", "online", "available", "last_heartbeat_at", "uptime_bps", "orders_refused"),
    *("rentals_completed", "host_score_bps"),
)
"""Fields that differ once a machine was heard from, rented and repriced."""


UNKNOWN_MODEL, UNKNOWN_REGION = 40_001, 41


async def list_unknown(up: UpProcess, host: Keypair) -> None:
    """Lists a machine whose model and region this release's catalog lacks."""
    spec = Spec.model_validate(PLAIN | {"gpu": str(UNKNOWN_MODEL), "region": str(UNKNOWN_REGION)}).spec()
    async with Market.connect(up.ready["rpc_url"], host, ws_url=up.ready["ws_url"]) as market:
        await market.host.create_listing(spec)


def test_listing__of_a_model_that_the_catalog_lacks__is_changed_and_hidden(
    browser: Browser, up: UpProcess, host: Path
) -> None:
    with ThreadPoolExecutor(1) as aside:  # Playwright's own loop runs in this thread
        aside.submit(asyncio.run, list_unknown(up, Keypair.from_json(host.read_text()))).result()
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, host)
        page = visit.open("/hosting")
        section = own(page, "Machines")
        row = section.get_by_role("row", name=f"Model No. {UNKNOWN_MODEL}")
        section.get_by_role("button", name="Change No. 0").click()
        form = page.get_by_role("form", name="Machine No. 0")
        expect(form.get_by_label("Model")).to_have_value(str(UNKNOWN_MODEL))
        form.get_by_label("Price, $ an hour").fill("2.95")
        form.get_by_role("button", name="Review it").click()
        sign(visit)
        expect(row).to_contain_text("$2.95")
        section.get_by_role("button", name="Hide No. 0").click()
        sign(visit)
        expect(row).to_contain_text("hidden")
        [listing] = machines(visit, address_of(up, host))
        assert (listing["gpu"], listing["region"]) == (str(UNKNOWN_MODEL), str(UNKNOWN_REGION))
        assert visit.violations() == [] and not visit.overflows()


def test_lock__of_tokens__lowers_the_extra_fee_and_is_taken_back(browser: Browser, up: UpProcess, host: Path) -> None:
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "0.5")
    up.console.run("host", "list", *machine, "--keypair", str(host))
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        enter(visit, host)
        page = visit.open("/hosting")
        section = own(page, "Lock against the extra fee")
        fact = section.locator("dt", has_text="Locked").locator("xpath=following-sibling::dd")
        amount = section.get_by_label("GPUM to lock or unlock")
        amount.fill("100.5")
        section.get_by_role("button", name="Lock", exact=True).click()
        sign(visit)
        expect(fact).to_contain_text("100.5")
        amount.fill("0.5")
        section.get_by_role("button", name="Unlock", exact=True).click()
        sign(visit)
        expect(fact).to_have_text("100 GPUM")
        expect(section).to_contain_text("Unlocking")
        told = httpx.get(f"{visit.url}/api/mfp/{address_of(up, host)}", timeout=PATIENCE).json()
        assert (told["locked"], told["unlocking"]) == ("100000000", "500000")
        assert visit.violations() == [] and not visit.overflows()


def test_earnings__of_a_host_that_rents_out__are_the_payouts_to_the_base_unit(browser: Browser, up: UpProcess) -> None:
    key = keys(up) / "host-us-west.json"
    order = ("rent", "--gpu", GPU, "--region", "us-west", "--duration", "30h", "--pay", "USDC", "--wait", "--json")
    job = json.loads(up.console.run(*order).stdout.splitlines()[0])
    up.warp(4_000)
    up.console.run("stop", job["id"])
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, key)
        page = visit.open("/hosting")
        payouts = own(page, "Payouts")
        expect(payouts.get_by_role("row", name=job["id"][:4]).first).to_contain_text("USDC")
        table = own(page, "Earnings").get_by_role("group", name="Earnings by day")
        earned = up.console.json("host", "earnings", "--keypair", str(key))
        dollars = sum(float(each["usd"] or 0) for each in earned["payments"])
        total = table.get_by_role("row", name="In all").get_by_role("cell")
        expect(total.nth(0)).to_have_text(str(len(earned["payments"])))
        assert abs(float(total.nth(1).inner_text().removeprefix("$").replace(",", "")) - dollars) < 0.000_001
        expect(own(page, "Earnings").locator("canvas")).to_be_visible()
        page.get_by_role("radio", name="Week").check()
        expect(own(page, "Earnings").get_by_role("group", name="Earnings by hour")).to_be_visible()
        assert visit.violations() == [] and not visit.overflows()


def test_operator__of_a_machine__sees_what_it_serves_and_changes_nothing(
    browser: Browser, up: UpProcess, host: Path, tmp_path: Path
) -> None:
    mine = ("--keypair", str(host))
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "0.5")
    up.console.run("host", "list", *machine, *mine)
    up.console.run("host", "rotate", str(tmp_path / "operator.json"), *mine)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, tmp_path / "operator.json")
        page = visit.open("/hosting")
        expect(page.get_by_text("Served for")).to_be_visible()
        expect(own(page, "Machines").get_by_role("row", name="RTX 4090")).to_be_visible()
        for name in ("List a machine", "Change No. 0", "Hide No. 0", "Lock"):
            expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        visit.forget_missing()
        assert visit.violations() == [] and not visit.overflows()


def test_listing__whose_transaction_says_another_price__is_refused(browser: Browser, up: UpProcess, host: Path) -> None:
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "0.5")
    up.console.run("host", "list", *machine, "--keypair", str(host))
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, host)
        page = visit.open("/hosting")

        def cheaper(route: Any, request: Any) -> None:
            body = request.post_data_json
            route.fulfill(response=route.fetch(post_data=body | {"spec": body["spec"] | {"on_demand_usd": 400_000}}))

        page.route("**/update", cheaper)
        own(page, "Machines").get_by_role("button", name="Hide No. 0").click()
        alert = page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("update_listing.spec.on_demand_usd: asked 500000, found 400000")
        expect(page.get_by_role("button", name="Sign and send")).to_be_disabled()
