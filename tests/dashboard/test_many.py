"""Ten thousand machines scroll smoothly: few rows are drawn, and pages are read ahead of who scrolls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, expect
from solders.pubkey import Pubkey
from sqlalchemy import func, select

from indexer.changes.writer import write_changes
from indexer.models import Listing
from indexer.store.database import open_database, writing
from indexer.store.statements import insert_rows
from tests.dashboard.visit import SETTLE_MS, visiting
from tests.e2e.console import Console
from tests.e2e.seeded import UpProcess

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

MACHINES = 10_000
LISTINGS = "/api/marketplace/listings?"
PAGE = 200
SCROLL = """async ({ pixels, rows, patience }) => {
  const frames = [];
  let [before, most, last] = [performance.now(), 0, -1];
  for (let moved = before; before - moved < patience; ) {
    scrollBy(0, pixels);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - before);
    before = now;
    const drawn = document.querySelectorAll("tbody tr[aria-rowindex]");
    most = Math.max(most, drawn.length);
    const lowest = Number([...drawn].at(-1)?.getAttribute("aria-rowindex"));
    if (lowest !== last) moved = now;
    last = lowest;
    if (lowest > rows) break;
  }
  frames.sort((one, other) => one - other);
  const at = share => frames[Math.floor((frames.length - 1) * share)];
  return { frames: frames.length, median: at(0.5), p95: at(0.95), worst: at(1), drawn: most, lowest: last };
}"""
PIXELS = 320
"""Eight rows a frame, at sixty frames a second more than twenty screens a second."""
FRAME_MS = 1_000 / 30
"""Processor time that the page's thread may take for a frame: others use this machine meanwhile."""
MOST_DRAWN = 80


def busy_seconds(session: CDPSession) -> float:
    """Of the page's thread, by the processor's clock."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


@pytest.fixture
def market(start_up: Any, tmp_path: Path) -> UpProcess:
    """A market of its own whose index has ten thousand machines more, each at its price."""
    process: UpProcess = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market")
    engine = open_database(process.ready["database_url"])
    with writing(engine) as connection:
        pattern = dict(connection.execute(select(Listing.table).limit(1)).mappings().one())
        rows = [
            pattern
            | {"address": str(Pubkey(number.to_bytes(32, "big"))), "number": 1_000 + number}
            | {"on_demand_usd": pattern["on_demand_usd"] + number, "visible": True}
            for number in range(1, MACHINES + 1)
        ]
        insert_rows(connection, Listing, rows)
        write_changes(connection, {Listing.table.name})
    engine.dispose()
    return process


def listed(market: UpProcess) -> int:
    """Number of machines in the market's lists."""
    engine = open_database(market.ready["database_url"])
    shown = select(func.count()).where(Listing.c.closed_at == 0, Listing.c.visible)
    with engine.connect() as connection:
        found = int(connection.execute(shown).scalar_one())
    engine.dispose()
    return found


def test_market__ten_thousand_machines__scroll_smoothly_to_the_last(
    browser: Browser, market: UpProcess, record_property: Any
) -> None:
    url, machines = market.ready["api_url"], listed(market)
    assert machines > MACHINES
    with visiting(browser, url) as visit:
        asked: list[str] = []
        visit.page.on("request", lambda request: asked.append(request.url) if LISTINGS in request.url else None)
        page = visit.open("/")
        expect(page.locator("tbody tr[aria-rowindex]").first).to_be_visible()
        session = visit.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = busy_seconds(session)
        told = page.evaluate(SCROLL, {"pixels": PIXELS, "rows": machines, "patience": SETTLE_MS})
        told["busy"] = 1_000 * (busy_seconds(session) - before) / told["frames"]
        record_property("frames", told)
        assert told["lowest"] == machines + 1 and told["drawn"] <= MOST_DRAWN
        assert told["busy"] <= FRAME_MS, told
        pages = list(dict.fromkeys(asked))
        assert len(pages) == -(-machines // PAGE)
        asked.clear()
        with page.expect_request(pages[-1], timeout=SETTLE_MS):
            market.console.run("rent", "--gpu", "nvidia-rtx-4090-24gb", "--duration", "24h", "--wait")
        assert set(asked) <= {pages[0], *pages[-2:]}, "what is on the screen is read again, and no more"
