"""Becoming a host in a browser: registered, approved, with a machine that charges and is served by another key."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from solders.keypair import Keypair

from anchor_client.sealing import SealKey
from tests.dashboard.conftest import keys
from tests.dashboard.test_hosting import MACHINE, address_of, machines, own
from tests.dashboard.visit import Visit, visiting
from tests.dashboard.wallet import connect, enter, give_wallet, sign
from tests.e2e.seeded import UpProcess
from tests.e2e.test_charges import start

pytestmark = pytest.mark.browser

CHARGES = {"bandwidth_usd": 10_000, "bandwidth_free_gb": 2, "storage_usd": 100}


@pytest.fixture
def newcomer(up: UpProcess, tmp_path: Path) -> Path:
    """Key file of a wallet that is no host yet."""
    key = tmp_path / "host.json"
    up.console.run("wallet", "new", str(key))
    up.console.run("wallet", "airdrop", "5", "--keypair", str(key))
    return key


def register(page: Page, visit: Visit, file: Path) -> None:
    """Makes the key that orders are sealed to, saved to a file, and registers."""
    with page.expect_download() as saved:
        page.get_by_role("button", name="Make a key and save its file").click()
    saved.value.save_as(file)
    page.get_by_role("button", name="Review the registration").click()
    expect(page.get_by_role("dialog", name="Become a host")).to_be_visible()
    assert visit.violations() == []
    sign(visit)


def list_machine(page: Page, visit: Visit) -> None:
    """Lists a machine of a host that has none yet."""
    own(page, "Machines").get_by_role("button", name="List a machine").click()
    form = page.get_by_role("form", name="A new machine")
    form.get_by_label("Model").select_option("nvidia-h200-sxm5-141gb")
    form.get_by_label("Region").select_option("eu-west")
    for label, value in MACHINE.items():
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_role("button", name="Review it").click()
    sign(visit)


def test_host__registered_and_approved__lists_a_machine_that_charges_and_is_served_by_another_key(
    browser: Browser, up: UpProcess, newcomer: Path, tmp_path: Path
) -> None:
    wallet, operator = address_of(up, newcomer), str(Keypair().pubkey())
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, newcomer)
        page = visit.open("/hosting")
        expect(page.get_by_text("This wallet is not a host yet")).to_be_visible()
        page.get_by_role("button", name="Review the registration").click()
        expect(page.get_by_text("Make a key, or give the public half of one")).to_be_visible()
        assert visit.violations() == [] and not visit.overflows()
        register(page, visit, tmp_path / "seal.key")
        expect(own(page, "Waiting for approval")).to_contain_text("Stakers approve hosts by vote")
        expect(page.get_by_role("button", name="List a machine")).to_have_count(0)
        shown = up.console.json("host", "show", "--keypair", str(newcomer))
        assert shown["seal_key"] == SealKey.load(tmp_path / "seal.key").public.hex()
        assert visit.violations() == [] and not visit.overflows()

        up.console.run("host", "approve", wallet, "--keypair", str(keys(up) / "authority.json"))
        expect(own(page, "Waiting for approval")).to_have_count(0)
        list_machine(page, visit)
        own(page, "Machines").get_by_role("button", name="Charges of No. 0").click()
        form = page.get_by_role("form", name="Charges of machine No. 0")
        form.get_by_label("Traffic out, $ per GB").fill("0.01")
        form.get_by_label("Free traffic, GB per rental").fill("2")
        form.get_by_label("Storage, $ per GB and hour").fill("0.0001")
        assert visit.violations() == [] and not visit.overflows()
        form.get_by_role("button", name="Review the charges").click()
        sign(visit)
        expect(form).to_have_count(0)
        own(page, "Machines").get_by_role("button", name="Operator of No. 0").click()
        form = page.get_by_role("form", name="Operator of machine No. 0")
        form.get_by_label("Key that serves it").fill(operator)
        form.get_by_role("button", name="Review the operator").click()
        assert visit.violations() == []
        sign(visit)
        row = own(page, "Machines").get_by_role("row", name="H200 SXM5")
        expect(row).to_contain_text(f"served by {operator[:4]}")
        assert visit.violations() == [] and not visit.overflows()
        visit.forget_missing()
    [listing] = machines(visit, wallet)
    assert listing["charges"] == CHARGES and listing["operator"] == operator


def test_charges__capped_reported_and_disputed__from_the_pages_of_both_sides(
    browser: Browser, up: UpProcess, newcomer: Path, tmp_path: Path
) -> None:
    mine = ("--keypair", str(newcomer))
    up.console.run("host", "register", "--seal-key", str(tmp_path / "seal.key"), *mine)
    up.console.run("host", "approve", address_of(up, newcomer), "--keypair", str(keys(up) / "authority.json"))
    machine = ("--gpu", "nvidia-h200-sxm5-141gb", "--region", "eu-west", "--price", "3.10")
    listing = up.console.json("host", "list", *machine, *mine)["listing"]
    up.console.run("charges", "set", listing, "--bandwidth", "0.01", "--free-gb", "2", "--storage", "0.0001", *mine)
    up.console.run("host", "heartbeat", *mine)
    job = up.console.json("rent", "--listing", listing, "--duration", "6h", "--pay", "USDC")["id"]
    with ThreadPoolExecutor() as apart:  # Playwright has the loop of this thread
        apart.submit(asyncio.run, start(up, job, str(newcomer))).result()
    renter = Keypair.from_json(Path(up.ready["wallet"]).read_text())
    url = up.ready["api_url"]
    with visiting(browser, url, still=True) as rents, visiting(browser, url, still=True) as serves:
        give_wallet(rents.context, renter)
        rents.page.goto(rents.url)
        connect(rents)
        page = rents.open(f"/jobs/{job}")
        section = own(page, "Traffic and storage")
        cap = section.get_by_role("form", name="Cap traffic and storage")
        cap.get_by_label("At most, USDC").fill("2.5")
        cap.get_by_label("Storage, GB").fill("20")
        assert rents.violations() == []
        cap.get_by_role("button", name="Review the cap").click()
        sign(rents)
        expect(section.get_by_text("Maximum cost")).to_be_visible()

        enter(serves, newcomer)
        report = serves.open(f"/jobs/{job}").get_by_role("form", name="Report what was used")
        report.get_by_label("Traffic out, MB in all").fill("5000")
        assert serves.violations() == []
        report.get_by_role("button", name="Review the report of usage").click()
        sign(serves)

        section.get_by_role("button", name="Dispute what is pending").click()
        sign(rents)
        history = section.get_by_role("group", name="History of the charges")
        expect(history.get_by_role("row", name="disputed")).to_contain_text("0.03")
        section.get_by_role("button", name="Accept all of it").click()
        sign(rents)
        expect(history.get_by_role("row", name="accepted")).to_be_visible()
        assert rents.violations() == [] and not rents.overflows()
        rents.forget_missing()
        serves.forget_missing()

        up.console.run("charges", "set", listing, "--bandwidth", "0", "--storage", "0", *mine)
        up.console.run("stop", job)
        rents.open(f"/jobs/{job}")
        expect(history.get_by_role("row", name="ended")).to_be_visible()
        expect(history.get_by_role("row", name="disputed")).to_contain_text("0.03")
        serves.open(f"/jobs/{job}")
        expect(report).to_be_visible()
    told = up.console.json("charges", "show", job)
    assert (told["cap"], told["storage_gb"], told["accepted"]) == ("2500000", 20, "30000")
