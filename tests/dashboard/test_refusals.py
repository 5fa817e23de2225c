"""Refusals of a rent: each says a remedy, and loses nothing that was typed or signed."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Route, expect
from solders.keypair import Keypair

from tests.dashboard.ordering import REVIEW, free_machine, newcomer, reviewed
from tests.dashboard.visit import Visit, visiting
from tests.dashboard.wallet import SIGN, connect, give_wallet, open_wallets
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

ORDERS = "**/api/jobs"
TRANSACTIONS = "**/api/transactions"
BLOCKS = "**/api/blocks"
BLOCKHASH_BLOCKS = 150
DECLINES_ONCE = """
const sign = window.signOutside;
let asked = 0;
window.signOutside = async (...all) => { if (++asked === 1) throw new Error("declined"); return sign(...all); };
"""


def refused(visit: Visit) -> None:
    """Lets pass that the browser notes what the API refuses."""
    visit.complaints[:] = [each for each in visit.complaints if "Failed to load resource" not in each]


def test_rent__wallet_declines__signs_at_the_second_try(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        key = Keypair()
        httpx.post(f"{visit.url}/api/faucet", json={"wallet": str(key.pubkey())}, timeout=PATIENCE).raise_for_status()
        give_wallet(visit.context, key)
        page = visit.page
        page.add_init_script(DECLINES_ONCE)
        page.goto(f"{visit.url}/rent/{free_machine(visit)}")
        connect(visit)
        dialog = reviewed(visit)
        dialog.get_by_role("button", name=SIGN).click()
        expect(dialog.get_by_role("alert")).to_contain_text("Nothing was sent. Sign when you are ready.")
        assert visit.violations() == []
        dialog.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        refused(visit)


def test_wallet__of_another_network__is_told_to_switch(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        give_wallet(visit.context, Keypair(), chain="solana:mainnet")
        page = visit.open("/jobs")
        open_wallets(visit)
        page.get_by_role("button", name="Test wallet", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("Switch Test wallet to localnet and connect again.")


def test_rent__empty_wallet__gets_test_tokens_and_goes_on(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        give_wallet(visit.context, Keypair())
        page = visit.page
        page.goto(f"{visit.url}/rent/{free_machine(visit)}")
        connect(visit)
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("but the wallet holds 0 GPUM")
        assert visit.violations() == []
        alert.get_by_role("button", name="Get test tokens").click()
        expect(page.get_by_label("What it costs")).to_contain_text("You hold 1,000 GPUM.")
        expect(alert).to_have_count(0)
        refused(visit)


def test_rent__machine_taken_meanwhile__leads_to_others_and_keeps_the_form(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        listing, page = free_machine(visit), visit.page
        newcomer(visit, listing)
        page.get_by_label("Command", exact=True).fill("nvidia-smi")
        dialog = reviewed(visit)
        up.console.run("rent", "--listing", listing, "--duration", "6h", "--wait")
        dialog.get_by_role("button", name=SIGN).click()
        alert = dialog.get_by_role("alert")
        expect(alert).to_contain_text("Nothing was paid. Choose another machine like it.")
        expect(alert.get_by_role("link", name="Other machines like it")).to_have_attribute(
            "href", "/?gpu=nvidia-rtx-4090-24gb"
        )
        page.reload()
        expect(page.get_by_text("This machine takes no order now.")).to_be_visible()
        expect(page.get_by_label("Command", exact=True)).to_have_value("nvidia-smi")
        refused(visit)


def test_rent__price_moved__is_built_again(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        page = visit.page

        def cheaper(route: Route) -> None:
            # The page asks for a quote whenever something moves; the order itself names a document.
            if set(route.request.post_data_json["order_hash"]) != {"0"}:
                return route.continue_()
            answer = route.fetch()
            told: dict[str, Any] = answer.json()
            return route.fulfill(response=answer, json=told | {"deposit": str(int(told["deposit"]) // 2)})

        page.route(ORDERS, cheaper)
        page.get_by_role("button", name=REVIEW).click()
        alert = page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("Build it again at the current price.")
        page.unroute(ORDERS)
        alert.get_by_role("button", name="Build it again").click()
        expect(page.get_by_role("button", name=SIGN)).to_be_enabled()
        refused(visit)


def test_rent__looked_at_for_too_long__is_built_again_by_one_click(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        dialog = reviewed(visit)
        expect(dialog.get_by_role("timer")).to_contain_text("Can be signed for 0:4")

        def later(route: Route) -> None:
            answer = route.fetch()
            told = answer.json()
            route.fulfill(response=answer, json=told | {"height": told["height"] + BLOCKHASH_BLOCKS})

        visit.page.route(BLOCKS, later)
        expect(dialog.get_by_role("timer")).to_have_text("Too old to sign")
        visit.page.unroute(BLOCKS)
        expect(dialog.get_by_role("button", name=SIGN)).to_have_count(0)
        dialog.get_by_role("button", name="Build it again").click()
        expect(dialog.get_by_role("timer")).to_contain_text("Can be signed for")


def test_rent__node_away__says_so_and_goes_on_when_it_is_back(browser: Browser, up: UpProcess) -> None:
    away = {
        **{"type": "about:blank", "title": "Bad Gateway", "status": 502, "error": "unreachable_rpc"},
        **{"detail": "The node that this API asks does not answer as it should.", "remedy": "Try again in a moment."},
    }
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        page = visit.page
        page.route(ORDERS, lambda route: route.fulfill(status=502, body=json.dumps(away)))
        page.get_by_label("Hours").fill("7")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("The market's node is unavailable. Nothing was sent; what you typed is kept.")
        page.unroute(ORDERS)
        alert.get_by_role("button", name="Try again").click()
        expect(page.get_by_label("What it costs")).to_contain_text("Into escrow for 7 h")
        refused(visit)


def test_rent__quota_used_up__leads_to_ones_rentals(browser: Browser, up: UpProcess) -> None:
    used_up = {
        **{"type": "about:blank", "title": "Conflict", "status": 409, "error": "quota_exceeded"},
        **{"detail": "The wallet may have 20 rentals at once, and has 20.", "remedy": "End one."},
    }
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        page = visit.page
        page.route(ORDERS, lambda route: route.fulfill(status=409, body=json.dumps(used_up)))
        page.get_by_label("Hours").fill("7")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("End a rental first; stake and spending raise the quota.")
        assert visit.violations() == []
        alert.get_by_role("link", name="My rentals").click()
        expect(page).to_have_url(f"{visit.url}/jobs")
        page.unroute(ORDERS)
        page.go_back()
        expect(page.get_by_label("Hours")).to_have_value("7")
        refused(visit)


def test_rent__reloaded_after_signing__is_found_again(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        page = visit.page
        visit.context.route(TRANSACTIONS, lambda route: route.abort())
        reviewed(visit).get_by_role("button", name=SIGN).click()
        expect(page.get_by_role("button", name="Waiting for it to land")).to_be_visible()
        page.reload()
        expect(page.get_by_text("signed before this page was loaded again, and on its way")).to_be_visible()
        visit.context.unroute(TRANSACTIONS)
        page.get_by_role("link", name="Open it").click()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        assert page.evaluate("localStorage.getItem('sent')") is None
        assert visit.violations() == []
        refused(visit)
