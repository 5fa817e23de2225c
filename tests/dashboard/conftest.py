"""Chromium, and a running market whose page it opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.dashboard.wallet import stake_holder
from tests.e2e.conftest import start_up, up
from tests.e2e.seeded import UpProcess

__all__ = ["start_up", "up"]

CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first draws no window around its pages and takes a third less of the processor."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; skips where there is none, but not in CI."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        what = "Chromium is not on PATH"
        pytest.fail(what) if os.environ.get("CI") == "true" else pytest.skip(what)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def host(up: UpProcess, tmp_path: Path) -> Path:
    """Key file of an approved host of its own, whose orders are sealed to the `seal.key` beside it."""
    key = tmp_path / "host.json"
    wallet = up.console.json("wallet", "new", str(key))["address"]
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "5", *mine)
    up.console.run("wallet", "airdrop", "500", "--token", "GPUM", *mine)
    up.console.run("host", "register", "--seal-key", str(tmp_path / "seal.key"), *mine)
    up.console.run("host", "approve", wallet, "--keypair", str(keys(up) / "authority.json"))
    return key


def keys(up: UpProcess) -> Path:
    """Folder of the market's own keys."""
    return Path(up.ready["data"]) / "keys"


@pytest.fixture
def staker(up: UpProcess, tmp_path: Path) -> Path:
    """Key file of a wallet with tokens that nobody has staked."""
    return stake_holder(up, tmp_path / "staker.json")
