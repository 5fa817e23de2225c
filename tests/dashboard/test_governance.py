"""Governance in a browser: proposals are put, voted on, counted and executed, and say what they change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from solders.keypair import Keypair

from tests.dashboard.conftest import keys
from tests.dashboard.test_hosting import address_of
from tests.dashboard.visit import visiting
from tests.dashboard.wallet import enter, sign, stake_holder
from tests.e2e.console import Console
from tests.e2e.seeded import UpProcess
from tests.indexer.databases import in_time
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

EPOCH_SECONDS = 61
LOOKS_AGAIN_MS = 45_000
COUNTED_MS = 120_000
"""A keeper counts the votes."""


def fill(page: Page, value: str) -> None:
    """A proposal of another tip, up to its review."""
    page.get_by_label("Parameter").select_option("tip_lamports")
    page.get_by_label("New value, SOL").fill(value)
    page.get_by_label("Title").fill("Dearer cranks")
    page.get_by_role("button", name="Review the proposal").click()


def click_later(page: Page, name: str) -> None:
    """Clicks a button once the page has looked again, which it does now and then."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_visible(timeout=LOOKS_AGAIN_MS)
    button.click()


def stake(market: UpProcess, staker: Path) -> None:
    """Puts all of a wallet's tokens to work."""
    market.console.run("staking", "stake", "200000", "--keypair", str(staker))
    market.warp(EPOCH_SECONDS)


def test_vote__with_active_stake__counts_and_cannot_be_given_twice(
    browser: Browser, up: UpProcess, staker: Path
) -> None:
    mine = ("--keypair", str(staker))
    stake(up, staker)
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
    [vote] = httpx.get(f"{up.ready['api_url']}/api/governance/proposals/{number}", timeout=PATIENCE).json()["votes"]
    assert vote["support"] and vote["voter"] == str(Keypair.from_json(staker.read_text()).pubkey())


def test_proposal__of_another_value_than_was_typed__is_refused(browser: Browser, up: UpProcess, staker: Path) -> None:
    stake(up, staker)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/governance/propose")

        def dearer(route: Any, request: Any) -> None:
            body = request.post_data_json
            route.fulfill(response=route.fetch(post_data=body | {"action": body["action"] | {"value": "99000000"}}))

        page.route("**/api/governance/proposals", dearer)
        fill(page, "0.00003")
        alert = page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("create_proposal.action")
        expect(page.get_by_role("button", name="Sign and send")).to_be_disabled()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("0.00002", "That is its current value."),
        ("0.2", "It may be from 0 SOL to 0.1 SOL."),
        ("much", "Give a number."),
    ],
)
def test_proposal__out_of_bounds_or_without_change__says_why(
    browser: Browser, up: UpProcess, staker: Path, value: str, said: str
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/governance/propose")
        fill(page, value)
        expect(page.get_by_role("alert")).to_have_text(said)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert visit.violations() == []


MINT = "So11111111111111111111111111111111111111113"
"""No mint: nobody looks before the vote."""
ANOTHER = {"New key": MINT}
MOTIONS: dict[str, tuple[str, dict[str, str], dict[str, str], str, dict[str, Any]]] = {
    "key": (
        "Replace a key of the market",
        {"Which key": "treasury"},
        ANOTHER,
        "would be So11…1113",
        {"kind": "set_key", "key": "treasury", "new": MINT},
    ),
    "payment mint": (
        "Accept payments in another token",
        {"Source of its price": "pyth"},
        {"Mint": MINT, "Pyth's feed": MINT, "Extra fee of the host, %": "2.5", "Vaults": "3"},
        "Accept payments in So11…1113",
        {"kind": "add_payment_mint", "mint": MINT},
    ),
    "terms": (
        "Change the terms of a payment token",
        {"Token": "USDC"},
        {"Extra fee of the host, %": "2.25"},
        "would be extra fee 2.25 %",
        {"kind": "update_payment_mint"},
    ),
    "reward mint": (
        "Pay rewards in another token",
        {},
        {"Mint": MINT},
        "Pay stakers rewards in So11…1113",
        {"kind": "add_reward_mint", "mint": MINT},
    ),
    "model": (
        "Set a GPU model's points and reference price",
        {"Model": "RTX 4090"},
        {"Points per GPU": "40"},
        "It is 33 points and a reference price of $0.34 per GPU-hour now and would be 40 points",
        {"kind": "set_gpu_model", "number": 6, "terms": {"points": 40, "reference_usd": 340_000}},
    ),
    "unknown model": (
        "Set a GPU model's points and reference price",
        {"Model": "another, by its number"},
        {"Its number": "40001", "Points per GPU": "7", "Reference price, $ per GPU-hour": "0.5"},
        "It is without either now and would be 7 points",
        {"kind": "set_gpu_model", "number": 40_001, "terms": {"points": 7, "reference_usd": 500_000}},
    ),
    "upgrade": (
        "Upgrade the program",
        {},
        {"Buffer": MINT, "SHA-256 of its code": "ab" * 32},
        f"Upgrade the program to the code with SHA-256 {'ab' * 32}",
        {"kind": "upgrade_program", "buffer": MINT, "sha256": "ab" * 32},
    ),
    "vault": (
        "Withdraw a vault's unreserved tokens",
        {"Token": "USDC"},
        {"Vault No.": "1", "Amount": "2.5"},
        "Take at most 2.5 USDC of unreserved tokens from vault 1",
        {"kind": "withdraw_unreserved", "shard": 1, "amount": "2500000"},
    ),
}
"""Of each kind of proposal: its name, what is chosen and typed, what the page says, and what the API is asked."""


def type_in(page: Page, motion: str) -> None:
    """Chooses and types what a proposal says."""
    kind, chosen, typed, _, _ = MOTIONS[motion]
    page.get_by_label("What", exact=True).select_option(kind)
    for label, option in chosen.items():
        page.get_by_label(label, exact=True).select_option(option)
    for label, text in typed.items():
        page.get_by_label(label, exact=True).fill(text)


def test_proposal__of_any_kind__is_said_in_words_and_drafted_as_it_was_typed(
    browser: Browser, up: UpProcess, staker: Path
) -> None:
    stake(up, staker)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/governance/propose")
        words = page.get_by_role("main").get_by_role("status")
        for motion, (kind, _, _, said, action) in MOTIONS.items():
            type_in(page, motion)
            expect(words).to_contain_text(said)
            assert visit.violations() == [], motion
            with page.expect_request("**/api/governance/proposals") as asked:
                page.get_by_role("button", name="Review the proposal").click()
            told = json.loads(asked.value.post_data or "")["action"]
            assert {name: told[name] for name in action} == action, kind
            dialog = page.get_by_role("dialog")
            expect(dialog.get_by_role("button", name="Sign and send")).to_be_enabled()
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
        assert not visit.overflows()


@pytest.mark.parametrize(
    ("motion", "change", "said"),
    [
        ("payment mint", {"Extra fee of the host, %": "30.01"}, "It may be from 0 % to 30 %."),
        ("terms", {"Subsidy of a price, %": "1"}, "It is 0 for this token."),
        ("model", {"Points per GPU": "65536"}, "Give a whole number up to 65535."),
        ("upgrade", {"SHA-256 of its code": "ab"}, "Give the code's SHA-256: 64 hexadecimal digits."),
    ],
)
def test_proposal__beyond_what_the_program_takes__says_why(
    browser: Browser, up: UpProcess, staker: Path, motion: str, change: dict[str, str], said: str
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/governance/propose")
        type_in(page, motion)
        for label, text in change.items():
            page.get_by_label(label, exact=True).fill(text)
        page.get_by_role("button", name="Review the proposal").click()
        expect(page.get_by_role("alert")).to_have_text(said)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert visit.violations() == []


def test_proposal__about_a_host__says_its_present_approval_and_budget(
    browser: Browser, up: UpProcess, staker: Path, host: Path
) -> None:
    wallet = address_of(up, host)
    authority = ("--keypair", str(keys(up) / "authority.json"))
    up.console.run("host", "approve", wallet, "--subsidy", "12.5", *authority)

    def indexed() -> None:
        told = httpx.get(f"{up.ready['api_url']}/api/hosts/{wallet}", timeout=PATIENCE)
        assert told.status_code == 200 and told.json()["subsidy_budget"] == "12500000"

    in_time(indexed)
    account = httpx.get(f"{up.ready['api_url']}/api/hosts/{wallet}", timeout=PATIENCE).json()["id"]
    stake(up, staker)
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open(f"/governance/propose?host={account}")
        words = page.get_by_role("main").get_by_role("status")
        budget = page.get_by_label("Maximum daily subsidy of its orders, GPUM")
        budget.fill("12.5")
        page.get_by_role("button", name="Review the proposal").click()
        expect(page.get_by_role("alert")).to_have_text("That is its current value.")
        budget.fill("20")
        now, then = (
            "approved, with a daily subsidy budget of 12.5 GPUM",
            "approved, with a daily subsidy budget of 20 GPUM",
        )
        expect(words).to_contain_text(f"It is {now} now and would be {then}.")
        page.get_by_label("Title").fill("A larger budget")
        assert visit.violations() == []
        page.get_by_role("button", name="Review the proposal").click()
        sign(visit)
        card = page.get_by_role("article").filter(has_text=account[:4])
        expect(card).to_contain_text(f"It is {now} now.")
        page.get_by_role("link", name="A larger budget").click()
        expect(page.get_by_text(f"It is {now} now and would be {then}.")).to_be_visible()
        up.console.run("host", "approve", wallet, "--revoke", *authority)
        expect(page.get_by_text(f"It is not approved now and would be {then}.")).to_be_visible()


@pytest.mark.exhaustive
def test_proposal__voted_counted_and_executed_from_the_page__changes_the_market(
    browser: Browser, start_up: Any, tmp_path: Path
) -> None:
    market: UpProcess = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market")
    keys = Path(market.ready["data"]) / "keys"
    staker = stake_holder(market, tmp_path / "staker.json")
    stake(market, staker)
    market.console.run("governance", "hand-over", "--final", "--keypair", str(keys / "authority.json"))
    keeper = Keypair.from_json((keys / "keeper.json").read_text()).pubkey()
    market.call("cheat_setAccount", str(keeper), None)  # so that it pays for no count and no execution
    parameters = httpx.get(f"{market.ready['api_url']}/api/market", timeout=PATIENCE).json()["parameters"]
    with visiting(browser, market.ready["api_url"], still=True) as visit:
        enter(visit, staker)
        page = visit.open("/governance")
        page.get_by_role("link", name="Propose a change").click()
        fill(page, "0.00003")
        expect(page.get_by_role("main").get_by_role("status").first).to_contain_text(
            "Set tip lamports to 0.00003 SOL. It is 0.00002 SOL now and would be 0.00003 SOL."
        )
        expect(page.get_by_role("dialog")).to_contain_text("Propose to set tip_lamports to 0.00003 SOL (30000)")
        assert visit.violations() == []
        sign(visit)
        page.get_by_role("link", name="Dearer cranks").click()
        page.get_by_role("button", name="Vote for it").click()
        sign(visit)
        expect(page.get_by_text("This wallet has voted for it.")).to_be_visible()
        market.warp(int(parameters["voting_period"]))
        click_later(page, "Count the votes")
        sign(visit)
        expect(page.get_by_text("in its timelock")).to_be_visible()
        market.warp(int(parameters["timelock"]))
        click_later(page, "Execute it")
        sign(visit)
        expect(page.get_by_text("executed", exact=True)).to_be_visible()
        assert visit.violations() == [] and not visit.overflows()
        page.get_by_role("link", name="Governance").first.click()
        fact = page.locator("dt", has_text="tip lamports").locator("xpath=following-sibling::dd")
        expect(fact).to_have_text("0.00003 SOL")
    assert (
        httpx.get(f"{market.ready['api_url']}/api/market", timeout=PATIENCE).json()["parameters"]["tip_lamports"]
        == "30000"
    )


@pytest.mark.exhaustive
def test_proposal__critical_and_passed__is_vetoed_by_the_guardian(
    browser: Browser, start_up: Any, tmp_path: Path
) -> None:
    market: UpProcess = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market")
    staker = stake_holder(market, tmp_path / "staker.json")
    stake(market, staker)
    mine = ("--keypair", str(staker))
    guardian = keys(market) / "guardian.json"
    market.console.run("wallet", "airdrop", "1", "--keypair", str(guardian))
    treasury = address_of(market, keys(market) / "treasury.json")
    words = ("key", "treasury", str(Keypair().pubkey()), "--title", "Another treasury")
    number = market.console.json("governance", "propose", *words, *mine)["id"]
    market.console.run("governance", "vote", str(number), "for", *mine)
    url = market.ready["api_url"]
    parameters = httpx.get(f"{url}/api/market", timeout=PATIENCE).json()["parameters"]
    with visiting(browser, url, still=True) as others, visiting(browser, url, still=True) as visit:
        enter(others, staker)
        others.open(f"/governance/{number}")
        enter(visit, guardian)
        page = visit.open(f"/governance/{number}")
        expect(page.get_by_text("critical: the guardian may veto")).to_be_visible()
        veto = page.get_by_role("button", name="Veto it")
        expect(veto).to_have_count(0)
        market.warp(int(parameters["voting_period"]))
        expect(page.get_by_text("in its timelock")).to_be_visible(timeout=COUNTED_MS)
        expect(veto).to_be_visible()
        assert visit.violations() == [] and not visit.overflows()
        veto.click()
        expect(page.get_by_role("dialog")).to_contain_text(f"Veto No. {number}")
        sign(visit)
        for each in (page, others.page):
            expect(each.get_by_text("vetoed", exact=True)).to_be_visible()
            expect(each.get_by_role("button", name="Veto it")).to_have_count(0)
        assert visit.violations() == []
        visit.forget_missing()
    settled = httpx.get(f"{url}/api/governance/proposals/{number}", timeout=PATIENCE).json()
    assert settled["stage"] == "vetoed"
    assert httpx.get(f"{url}/api/market", timeout=PATIENCE).json()["treasury"] == treasury
