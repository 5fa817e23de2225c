"""Time left to sign a transaction: it follows the chain, however fast its slots are."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.ordering import free_machine, newcomer, reviewed
from tests.dashboard.visit import visiting
from tests.dashboard.wallet import SIGN
from tests.e2e.console import Console

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SIGNABLE_BLOCKS = 112
"""Of a blockhash's 150, without those that wallet and network may take."""
LOOK_SECONDS = 3


@pytest.mark.parametrize("slot_ms", [100, 200])
def test_countdown__of_a_fast_chain__ends_when_its_blocks_have_passed(
    browser: Browser, start_up: Any, tmp_path: Path, slot_ms: int
) -> None:
    market = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market", "--slot-ms", str(slot_ms))
    with visiting(browser, market.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        dialog = reviewed(visit)
        begun = time.monotonic()
        timer, whole = dialog.get_by_role("timer"), SIGNABLE_BLOCKS * slot_ms / 1_000
        told = timer.filter(has_text=re.compile(rf"0:{int(whole - LOOK_SECONDS - 2):02d}$"))
        expect(told).to_have_text(re.compile("Can be signed for"), timeout=1_000 * whole)
        expect(timer).to_have_text("Too old to sign", timeout=1_000 * whole)
        assert abs(time.monotonic() - begun - whole) < LOOK_SECONDS
        dialog.get_by_role("button", name="Build it again").click()
        dialog.get_by_role("button", name=SIGN).click()
        expect(visit.page.get_by_text("ssh -p ").first).to_be_visible()
        visit.forget_missing()
