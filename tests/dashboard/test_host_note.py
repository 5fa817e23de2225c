"""Why a host refuses an order is read in the browser that ordered, and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from anchor_client.market import Market
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet
from host_agent.errors import OrderRefused
from tests.dashboard.listening import listening
from tests.dashboard.ordering import newcomer, reviewed
from tests.dashboard.visit import visiting
from tests.dashboard.wallet import SIGN
from tests.e2e.agents import serving
from tests.e2e.seeded import UpProcess
from tests.e2e.staging import Machine
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

REFUSAL = "No command specified: <b>name one</b> & <img src=x onerror=alert(1)>"
TAKE_KEY = """() => {
  const name = Object.keys(localStorage).find((each) => each.startsWith("gpu-market.order."));
  const secret = localStorage.getItem(name);
  localStorage.removeItem(name);
  return secret;
}"""


@asynccontextmanager
async def refusing(up: UpProcess, host: Path, listing: str) -> AsyncIterator[None]:
    """The host's agent, with a machine that can run nothing; the API offers it."""
    key, url = SealKey.load(host.with_name("seal.key")), up.ready["api_url"]
    async with (
        Market.connect(up.ready["rpc_url"], Wallet.from_file(host), ws_url=up.ready["ws_url"]) as market,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE) as api,
        serving(market, url, key, lambda *_: Machine(refuses=OrderRefused(REFUSAL))),
    ):

        async def offered() -> bool:
            told = await api.get(f"/api/marketplace/listings/{listing}")
            return told.is_success and bool(told.json()["available"])

        await until(offered)
        yield


def words(page: Page) -> Locator:
    """The host's words on the page."""
    return page.get_by_role("region", name="Why, in the host's words")


def test_job__host_refuses__its_words_are_read_with_the_order_s_key_alone(
    browser: Browser, up: UpProcess, host: Path
) -> None:
    machine = ("--gpu", "nvidia-h200-sxm5-141gb", "--region", "eu-west", "--price", "3.10")
    listing = up.console.json("host", "list", *machine, "--keypair", str(host))["listing"]
    with listening(refusing(up, host, listing)), visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.page
        newcomer(visit, listing)
        reviewed(visit).get_by_role("button", name=SIGN).click()
        expect(words(page).get_by_role("blockquote")).to_have_text(REFUSAL)
        assert visit.violations() == []
        visit.forget_missing()

        secret = page.evaluate(TAKE_KEY)
        page.reload()
        expect(words(page)).to_contain_text("sealed to the order's key, which is not in this browser")
        expect(words(page).get_by_role("blockquote")).to_have_count(0)
        assert visit.violations() == []
        for brought in ("0" * 64, secret):
            page.get_by_label("The order's key").fill(brought)
            page.get_by_role("button", name="Open what the host says").click()
        expect(words(page).get_by_role("blockquote")).to_have_text(REFUSAL)
