"""The same page on Agave's own validator: rent, outbid, request, stake, vote, each to what the chain says."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect
from xprocess import XProcess

from local_market.keys import MarketKeyring
from tests.dashboard.ordering import free_machine, reviewed, run
from tests.dashboard.test_governance import fill as fill_proposal
from tests.dashboard.test_jobs import stat, told
from tests.dashboard.test_requests import GPU
from tests.dashboard.test_requests import fill as fill_request
from tests.dashboard.test_spot import spot
from tests.dashboard.validator_market import Opened, opened_market
from tests.dashboard.visit import SETTLE_MS, visiting
from tests.dashboard.wallet import SIGN, connect, connect_burner, give_wallet, sign
from tests.processes.patience import PATIENCE
from tests.processes.validator import running

pytestmark = [pytest.mark.browser, pytest.mark.validator, pytest.mark.xdist_group("validator")]

FINAL_MS = 120_000
"""Timeout for finality: it takes longer on a validator than on a cluster for tests."""


@pytest.fixture(scope="module")
def opened(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A market on a validator."""
    folder = tmp_path_factory.mktemp("market")
    keys, ledger = MarketKeyring.load_or_create(folder), tmp_path_factory.mktemp("ledger")
    with (
        running(xprocess, ledger, upgrade_authority=keys.authority.pubkey()) as validator,
        opened_market(validator, keys, folder) as market,
    ):
        expect.set_options(timeout=FINAL_MS)
        yield market
        expect.set_options(timeout=SETTLE_MS)


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


def test_outbid__on_a_validator__holder_is_told_and_the_bidder_gets_the_machine(
    browser: Browser, opened: Opened
) -> None:
    with visiting(browser, opened.url, still=True) as holder, visiting(browser, opened.url, still=True) as bidder:
        listing = free_machine(holder)
        for visit in (holder, bidder):
            spot(visit, listing)
            if visit is holder:
                run(visit)
        expect(bidder.page.get_by_text("The lowest winning bid now is")).to_be_visible()
        reviewed(bidder).get_by_role("button", name=SIGN).click()
        expect(bidder.page.get_by_text("Waiting for the machine's holder to leave").first).to_be_visible()
        expect(holder.page.get_by_role("main")).to_contain_text("A better order waits")
        expect(bidder.page.get_by_text("ssh -p ").first).to_be_visible()
        expect(stat(holder.page, "Came back")).to_be_visible()
        ended = told(holder)
        assert ended["status"] == "preempted"
        assert int(ended["deposit"]) == int(ended["cost"]) + int(ended["refunded"])
        for visit in (holder, bidder):
            visit.forget_missing()


def test_request__on_a_validator__is_matched_by_a_keeper_and_runs(browser: Browser, opened: Opened) -> None:
    with visiting(browser, opened.url, still=True) as visit:
        page = visit.page
        page.goto(f"{visit.url}/request?gpu={GPU}")
        connect_burner(visit)
        fill_request(page, "1.40")
        sign(visit)
        matched = page.get_by_role("row", name="matched").get_by_role("link")
        expect(matched).to_be_visible()
        matched.click()
        expect(page.get_by_text("running", exact=True).first).to_be_visible()
        visit.forget_missing()


def test_stake_and_vote__on_a_validator__earns_and_changes_the_market(browser: Browser, opened: Opened) -> None:
    with visiting(browser, opened.url, still=True) as visit:
        page = visit.page
        page.goto(visit.url)
        connect_burner(visit)
        page = visit.open("/staking")
        own = page.get_by_role("region", name="Your stake")
        own.get_by_label("GPUM to stake or unstake").fill("600.5")
        own.get_by_role("button", name="Stake", exact=True).click()
        sign(visit)
        opened.as_authority(lambda market: market.staking.fund("GPUM", 90_000_000))
        claim = own.get_by_role("button", name="Claim GPUM")
        expect(claim).to_be_visible()
        claim.click()
        sign(visit)
        expect(claim).to_have_count(0)

        opened.as_authority(lambda market: market.governance.hand_over())
        page = visit.open("/governance")
        page.get_by_role("link", name="Propose a change").click()
        fill_proposal(page, "0.00003")
        sign(visit)
        page.get_by_role("link", name="Dearer cranks").click()
        page.get_by_role("button", name="Vote for it").click()
        sign(visit)
        expect(page.get_by_text("This wallet has voted for it.")).to_be_visible()
        expect(page.get_by_text("executed", exact=True)).to_be_visible()
        visit.forget_missing()
    market = httpx.get(f"{opened.url}/api/market", timeout=PATIENCE).json()
    assert market["parameters"]["tip_lamports"] == "30000"
