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


@pytest.mark.parametrize("slot_ms", [150, 200])
def test_countdown__of_a_fast_chain__ends_when_its_blocks_have_passed(
    browser: Browser, start_up: Any, tmp_path: Path, slot_ms: int
) -> None:
    market = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market", "--slot-ms", str(slot_ms))
    with visiting(browser, market.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        asked = time.monotonic()
        dialog = reviewed(visit)
        answered = time.monotonic()
        timer = dialog.get_by_role("timer")
        whole = SIGNABLE_BLOCKS * slot_ms / 1_000
        # At the usual 400 ms a slot it would say twice as much or more, up to its end.
        last_seconds = "|".join(f"{second:02d}" for second in range(int(whole - LOOK_SECONDS)))
        expect(timer).to_have_text(re.compile(rf"Can be signed for 0:({last_seconds})$"), timeout=1_000 * whole)
        expect(timer).to_have_text("Too old to sign", timeout=1_000 * (whole + LOOK_SECONDS))
        ended = time.monotonic()
        # The blockhash was fetched between the click and the answer, however long that took.
        assert asked + whole - LOOK_SECONDS < ended < answered + whole + LOOK_SECONDS
        dialog.get_by_role("button", name="Build it again").click()
        dialog.get_by_role("button", name=SIGN).click()
        expect(visit.page.get_by_text("ssh -p ").first).to_be_visible()
        visit.forget_missing()
