"""Ordering in a browser, with the test wallet that it makes."""

from __future__ import annotations

import httpx
from playwright.sync_api import Locator, expect

from tests.dashboard.visit import Visit
from tests.dashboard.wallet import SIGN, connect_burner
from tests.processes.patience import PATIENCE

REVIEW = "Review the order"


def free_machine(visit: Visit, gpu: str = "nvidia-rtx-4090-24gb") -> str:
    """A machine that can be rented."""
    query = {"gpu": gpu, "available": "true", "limit": "1"}
    [found] = httpx.get(f"{visit.url}/api/marketplace/listings", params=query, timeout=PATIENCE).json()["listings"]
    return str(found["id"])


def newcomer(visit: Visit, listing: str) -> None:
    """At a machine's order, with a test wallet of the browser."""
    visit.page.goto(f"{visit.url}/rent/{listing}")
    connect_burner(visit)


def reviewed(visit: Visit) -> Locator:
    """The order as it is to be signed."""
    visit.page.get_by_role("button", name=REVIEW).click()
    dialog = visit.page.get_by_role("dialog")
    expect(dialog).to_contain_text("can leave your wallet")
    return dialog


def run(visit: Visit) -> None:
    """Signs what was reviewed, up to the rental's running and the connection's being open."""
    reviewed(visit).get_by_role("button", name=SIGN).click()
    expect(visit.page.get_by_text("ssh -p ").first).to_be_visible()
    expect(visit.page.get_by_role("main").get_by_text("running", exact=True).first).to_be_visible()
    visit.forget_missing()
