"""Staking in a browser: what a wallet signs is what it gets."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from solders.keypair import Keypair

from tests.dashboard.visit import PHONE, visiting
from tests.dashboard.wallet import enter, sign
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

EPOCH_SECONDS = 61
LOOKS_AGAIN_MS = 40_000


def fund(market: UpProcess) -> None:
    """Funds rewards and passes the epoch in which they wait and the one at whose end they are paid."""
    market.console.run("staking", "fund", "90")
    market.begin_epoch()


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
        up.begin_epoch()
        own.get_by_role("button", name="Stake", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Stake")
        assert visit.violations() == []
        sign(visit)
        warming = own.locator("dt", has_text="Warming up").locator("xpath=following-sibling::dd")
        expect(warming).to_contain_text("600.5")
        fund(up)
        claim = own.get_by_role("button", name="Claim GPUM")
        expect(claim).to_be_visible(timeout=LOOKS_AGAIN_MS)
        assert visit.violations() == [] and not visit.overflows()
        [reward] = httpx.get(f"{visit.url}/api/rewards/stakes/{owner}", timeout=PATIENCE).json()["rewards"][:1]
        assert int(reward["pending"]) > 0
        claim.click()
        sign(visit)
        expect(claim).to_have_count(0)
        compound = own.get_by_role("button", name="Compound")
        expect(compound).to_have_count(0)
        fund(up)
        expect(compound).to_be_visible(timeout=LOOKS_AGAIN_MS)
        compound.click()
        expect(page.get_by_role("dialog")).to_contain_text("Stake the rewards")
        sign(visit)
        expect(compound).to_have_count(0)
        active = own.locator("dt", has_text="Active").locator("xpath=following-sibling::dd")
        up.warp(EPOCH_SECONDS)
        expect(active).not_to_have_text("600.5 GPUM", timeout=LOOKS_AGAIN_MS)
        visit.forget_missing()
    with visiting(browser, up.ready["api_url"], size=PHONE, still=True) as visit:
        expect(visit.open("/staking").get_by_role("group", name="Epochs")).to_be_visible()
        assert visit.pushed_off() == [] and visit.violations() == [] and not visit.overflows()


def test_unstake__cooled_down__is_withdrawn_to_the_base_unit(browser: Browser, up: UpProcess, staker: Path) -> None:
    mine = ("--keypair", str(staker))
    up.console.run("staking", "stake", "600.5", *mine)
    up.begin_epoch()
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/staking")
        own = page.get_by_role("region", name="Your stake")
        active, cooling = (
            own.locator("dt", has_text=name).locator("xpath=following-sibling::dd")
            for name in ("Active", "Cooling down")
        )
        expect(active).to_contain_text("600.5")
        own.get_by_label("GPUM to stake or unstake").fill("150.25")
        own.get_by_role("button", name="Unstake", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Unstake 150.25 GPUM")
        sign(visit)
        expect(active).to_contain_text("450.25")
        expect(cooling).to_contain_text("150.25")
        cool_at = datetime.fromtimestamp(up.console.json("staking", "show", *mine)["cool_at"], UTC)
        shown = cooling.locator("time")
        expect(cooling).to_contain_text("free")
        expect(shown).to_have_attribute("datetime", f"{cool_at:%Y-%m-%dT%H:%M:%S}.000Z")
        expect(own.get_by_role("button", name="Withdraw")).to_have_count(0)
        assert visit.violations() == [] and not visit.overflows()

        up.warp(EPOCH_SECONDS)
        withdraw = own.get_by_role("button", name="Withdraw 150.25")
        expect(withdraw).to_be_visible(timeout=LOOKS_AGAIN_MS)
        expect(shown).to_have_count(0)
        assert visit.violations() == []
        withdraw.click()
        sign(visit)
        expect(withdraw).to_have_count(0)
        visit.forget_missing()
    stake = up.console.json("staking", "show", *mine)
    assert (stake["active"], stake["cooling"], stake["withdrawable"]) == ("450250000", "0", "0")
