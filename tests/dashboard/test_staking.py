"""Staking and voting in a browser: what a wallet signs is what it gets."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.keypair import Keypair

from tests.dashboard.visit import visiting
from tests.dashboard.wallet import enter, sign
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.browser

EPOCH_SECONDS = 61


@pytest.fixture
def staker(up: UpProcess, tmp_path: Path) -> Path:
    """Key file of a wallet with tokens that nobody has staked."""
    file = tmp_path / "staker.json"
    mine = ("--keypair", str(file))
    up.console.run("wallet", "new", str(file))
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("wallet", "airdrop", "200000", "--token", "GPUM", *mine)
    return file


def test_stake__an_epoch_later__earns_what_is_claimed(browser: Browser, up: UpProcess, staker: Path) -> None:
    owner = Keypair.from_json(staker.read_text()).pubkey()
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/staking")
        own = page.get_by_role("region", name="Your stake")
        expect(own).to_contain_text("has staked nothing yet")
        amount = own.get_by_label("GPUM to stake or unstake")
        amount.fill("600.5000001")
        expect(own.get_by_role("button", name="Stake", exact=True)).to_be_disabled()
        amount.fill("600.5")
        own.get_by_role("button", name="Stake", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Stake")
        assert visit.violations() == []
        sign(visit)
        warming = own.locator("dt", has_text="Warming up").locator("xpath=following-sibling::dd")
        expect(warming).to_contain_text("600.5")
        up.console.run("staking", "fund", "90")
        for _ in range(2):
            before = up.console.json("staking", "show", "--keypair", str(staker))["epoch"]
            up.warp(EPOCH_SECONDS)
            assert up.console.json("staking", "show", "--keypair", str(staker))["epoch"] > before
        claim = own.get_by_role("button", name="Claim GPUM")
        expect(claim).to_be_visible(timeout=40_000)
        assert visit.violations() == [] and not visit.overflows()
        [reward] = httpx.get(f"{visit.url}/api/rewards/stakes/{owner}").json()["rewards"][:1]
        assert int(reward["pending"]) > 0
        claim.click()
        sign(visit)
        expect(claim).to_have_count(0)
        visit.complaints[:] = [each for each in visit.complaints if "404" not in each]


def test_vote__with_active_stake__counts_and_cannot_be_given_twice(
    browser: Browser, up: UpProcess, staker: Path
) -> None:
    mine = ("--keypair", str(staker))
    up.console.run("staking", "stake", "200000", *mine)
    up.warp(EPOCH_SECONDS)
    words = ("parameter", "tip_lamports", "7", "--title", "Cheaper cranks")
    number = up.console.json("governance", "propose", *words, *mine)["id"]
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open(f"/governance/{number}")
        page.get_by_role("button", name="Vote for it").click()
        expect(page.get_by_role("dialog")).to_contain_text(f"Vote for proposal {number}")
        sign(visit)
        expect(page.get_by_text("This wallet has voted for it.")).to_be_visible()
        expect(page.get_by_role("button", name="Vote for it")).to_have_count(0)
        assert visit.violations() == [] and not visit.overflows()
        visit.forget_missing()
    [vote] = httpx.get(f"{up.ready['api_url']}/api/governance/proposals/{number}").json()["votes"]
    assert vote["support"] and vote["voter"] == str(Keypair.from_json(staker.read_text()).pubkey())
