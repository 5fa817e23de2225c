"""The same page on Agave's own validator: rented, opened, extended and stopped by a wallet, to the base unit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.generated.types import MarketParameter
from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.tokens import associated_token
from indexer.main import serve
from indexer.settings import Settings
from local_market.keys import MarketKeyring
from local_market.life import MarketLife
from local_market.seed import seed_market
from local_market.terms import MarketTerms
from tests.dashboard.ordering import free_machine, run
from tests.dashboard.test_jobs import stat, told
from tests.dashboard.visit import SETTLE_MS, visiting
from tests.dashboard.wallet import connect, give_wallet, sign
from tests.processes.ports import free_ports
from tests.processes.validator import Validator, running

pytestmark = [pytest.mark.browser, pytest.mark.validator, pytest.mark.xdist_group("validator")]

READY_SECONDS = 240
FINAL_MS = 120_000
"""What is final takes longer there than on a cluster for tests."""
TERMS = MarketTerms(
    parameters={
        MarketParameter.ORDER_MIN_USD: 0,
        MarketParameter.PRIORITY_WINDOW: 0,
        MarketParameter.OFFLINE_AFTER: 300,
        MarketParameter.PROVISION_TIMEOUT: 240,
    }
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A market that is served, the keys of its parties and its token; `end` ends it."""

    url: str
    rpc_url: str
    keys: MarketKeyring
    mint: Pubkey
    loop: asyncio.AbstractEventLoop
    stop: asyncio.Event

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)

    def held(self) -> int:
        """Base units of the market token that the renter has, as the chain says."""
        account = str(associated_token(self.keys.renter.pubkey(), self.mint))
        asked = {"jsonrpc": "2.0", "id": 1, "method": "getTokenAccountBalance"}
        call = asked | {"params": [account, {"commitment": "confirmed"}]}
        return int(httpx.post(self.rpc_url, json=call).raise_for_status().json()["result"]["value"]["amount"])


async def open_market(validator: Validator, keys: MarketKeyring, folder: Path, told: Future[Opened]) -> None:
    """Seeds a market, serves its API and lets its hosts live until it is ended."""
    rpc_url, ws_url, port = validator.http_url, validator.ws_url, free_ports()
    database = f"sqlite:///{folder / 'market.db'}"
    settings = Settings(rpc_url=rpc_url, ws_url=ws_url, database_url=database, port=port)
    url, stop, alive, serving = f"http://127.0.0.1:{port}", asyncio.Event(), asyncio.Event(), asyncio.Event()
    post = SealedOrderApi(url)
    async with post, Market.connect(rpc_url, keys.renter, ws_url=ws_url, deliver_order=post.deliver) as market:
        seeded = await seed_market(market.session.client, keys, terms=TERMS)
        life = MarketLife(market, ws_url, keys, seeded.tokens, orders=post)
        async with asyncio.TaskGroup() as tasks:
            working = [
                tasks.create_task(life.run(alive)),
                tasks.create_task(serve(settings, ready=serving.set)),
            ]
            async with asyncio.timeout(READY_SECONDS):
                await alive.wait()
                await serving.wait()
            mint = seeded.tokens.market_token.mint
            told.set_result(Opened(url, rpc_url, keys, mint, asyncio.get_running_loop(), stop))
            await stop.wait()
            for task in working:
                task.cancel()


@pytest.fixture(scope="module")
def opened(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A market on a validator, in a thread: Playwright has this one's loop."""
    keys, folder = MarketKeyring.from_seed("dashboard"), tmp_path_factory.mktemp("market")
    ledger, told = tmp_path_factory.mktemp("ledger"), Future[Opened]()
    authority = keys.authority.pubkey()
    with running(xprocess, ledger, upgrade_authority=authority) as validator, ThreadPoolExecutor(1) as aside:
        work = aside.submit(asyncio.run, open_market(validator, keys, folder, told))
        awaited: list[Future[Any]] = [work, told]
        wait(awaited, return_when=FIRST_COMPLETED)
        if work.done():
            work.result()
        market = told.result()
        expect.set_options(timeout=FINAL_MS)
        yield market
        expect.set_options(timeout=SETTLE_MS)
        market.end()
        work.result()


def test_rental__on_a_validator__is_rented_extended_and_stopped_from_the_page(browser: Browser, opened: Opened) -> None:
    with visiting(browser, opened.url, still=True) as visit:
        give_wallet(visit.context, opened.keys.renter)
        page = visit.page
        page.goto(visit.url)
        connect(visit)
        expect(page.locator("tbody tr[aria-rowindex]").filter(has_text="free").first).to_be_visible()
        before = opened.held()
        page.goto(f"{visit.url}/rent/{free_machine(visit)}")
        page.get_by_label("Hours").fill("6")
        run(visit)
        page.get_by_role("button", name="Extend").click()
        page.get_by_label("More hours").fill("1.5")
        page.get_by_role("button", name="Review the extension").click()
        sign(visit)
        expect(page.get_by_text("of 7 h 30 min")).to_be_visible()
        page.get_by_role("button", name="Stop and get the rest back").click()
        expect(page.get_by_role("dialog", name="Stop this rental").get_by_role("row", name="refund")).to_be_visible()
        sign(visit)
        expect(stat(page, "Came back")).to_be_visible()
        job = told(visit)
        assert int(job["deposit"]) == int(job["cost"]) + int(job["refunded"])
        assert before - opened.held() == int(job["cost"])
        assert visit.violations() == [] and not visit.overflows()
        visit.forget_missing()
