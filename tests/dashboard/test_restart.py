"""The market is killed under an open page and comes back: the page recovers by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from xprocess import XProcess

from tests.dashboard.ordering import free_machine, newcomer, run
from tests.dashboard.visit import visiting
from tests.e2e.console import Console
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

BACK_MS = 60_000


def test_rental__market_killed_and_back__is_shown_and_stopped(
    browser: Browser, start_up: Any, xprocess: XProcess, tmp_path: Path
) -> None:
    console, ports = Console(tmp_path / "home"), free_ports(3)
    here = ("--port", str(ports), "--rpc-port", str(ports + 1))
    first = start_up(console, tmp_path / "a" / "market", *here)
    with visiting(browser, first.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        run(visit)
        page = visit.page
        xprocess.getinfo(first.name).terminate()
        expect(page.get_by_text("Reconnecting")).to_be_visible()
        expect(page.get_by_text("ssh -p ")).to_be_visible()
        page.get_by_role("button", name="Stop and get the rest back").click()
        alert = page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("The market's API does not answer.")
        start_up(console, tmp_path / "a" / "market", *here)
        expect(page.get_by_text("Live", exact=True)).to_be_visible(timeout=BACK_MS)
        alert.get_by_role("button", name="Try again").click()
        page.get_by_role("button", name="Sign and send").click()
        expect(page.get_by_text("completed", exact=True).first).to_be_visible(timeout=BACK_MS)
        visit.complaints.clear()
