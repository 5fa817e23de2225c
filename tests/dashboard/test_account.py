"""The account page: a sign-in with the wallet, API keys that scripts use, webhooks and what was sent to them."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.keypair import Keypair

from tests.dashboard.visit import visiting
from tests.dashboard.wallet import connect, give_wallet
from tests.e2e.seeded import UpProcess
from tests.indexer.webhooks.receiver import receiving
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser


def test_account__signed_in__makes_and_revokes_keys_and_sees_deliveries(browser: Browser, up: UpProcess) -> None:
    renter = Keypair.from_json(Path(up.ready["wallet"]).read_text())
    with visiting(browser, up.ready["api_url"], still=True) as visit, receiving() as server:
        asked = give_wallet(visit.context, renter)
        page = visit.page
        page.goto(f"{visit.url}/account")
        connect(visit)
        page.get_by_role("button", name="Sign in with the wallet").click()
        expect(page.get_by_text("No API key yet")).to_be_visible()
        assert asked == ["message"]

        page.get_by_label("Name").fill("billing script")
        page.get_by_label("manage webhooks").check()
        page.get_by_role("button", name="Make a key").click()
        secret = page.get_by_role("status").locator("code").inner_text()
        row = page.get_by_role("row", name="billing script")
        expect(row).to_contain_text("read, webhooks")
        me = httpx.get(f"{visit.url}/api/auth/me", headers={"X-API-Key": secret}, timeout=PATIENCE)
        assert me.json()["wallet"] == str(renter.pubkey())

        page.get_by_label("URL of your server").fill(server.url)
        page.get_by_role("button", name="Add the webhook").click()
        signing = page.get_by_role("status").filter(has_text="signing secret").locator("code")
        server.secrets.append(signing.inner_text())
        page.get_by_role("button", name="Test", exact=True).click()
        expect(page.get_by_role("row", name="webhook.test")).to_contain_text("delivered")
        assert server.take("webhook.test").signed_by == server.secrets
        assert visit.violations() == [] and not visit.overflows()
        page.get_by_role("button", name="Remove", exact=True).click()
        page.get_by_role("button", name="Remove it for ever").click()
        expect(page.get_by_text("No webhook yet")).to_be_visible()

        page.get_by_role("button", name="Revoke billing script").click()
        expect(page.get_by_text("No API key yet")).to_be_visible()
        assert httpx.get(f"{visit.url}/api/auth/me", headers={"X-API-Key": secret}, timeout=PATIENCE).status_code == 401
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("button", name="Sign in with the wallet")).to_be_visible()


def test_account__key_on_a_hardware_wallet__signs_in_also_after_a_reload(browser: Browser, up: UpProcess) -> None:
    renter = Keypair.from_json(Path(up.ready["wallet"]).read_text())
    with visiting(browser, up.ready["api_url"]) as visit:
        asked = give_wallet(visit.context, renter, on_device=True)
        page = visit.page
        page.goto(f"{visit.url}/account")
        connect(visit, on_device=True)
        for _ in range(2):
            page.get_by_role("button", name="Sign in with the wallet").click()
            expect(page.get_by_text("No API key yet")).to_be_visible()
            page.reload()
        assert asked == ["message", "message"]
