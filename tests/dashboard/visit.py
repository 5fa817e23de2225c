"""A visit to the dashboard, which notes whatever a visitor should never meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.docs.pages import ROOT

AXE = ROOT / "dashboard/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESKTOP, PHONE = (1360, 900), (390, 844)
SETTLE_MS = 60_000
PUSHED_OFF = """() => [...document.querySelectorAll("main *, nav")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(each).overflowX))
  .map((each) => each.getAttribute("aria-label") ?? each.className)"""

DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Two frames: elements that look at their own size do so when one is drawn, and not before."""

expect.set_options(timeout=SETTLE_MS)


@dataclass
class Visit:
    """A page of its own context; `complaints` are errors and warnings of its console, and `elsewhere` what it asked
    others than the market for."""

    page: Page
    context: BrowserContext
    url: str
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Goes to a path; returns once its figures are there."""
        self.page.goto(self.url + path)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Waits until nothing is being read for the first time, and the feed lives."""
        expect(self.page.locator("main h1")).to_be_visible()
        expect(self.page.get_by_text("Live", exact=True)).to_be_visible()
        expect(self.page.get_by_text("Reading ")).to_have_count(0)

    def violations(self) -> list[str]:
        """Violations that axe finds on the page, which may not send messages into a frame of another origin."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        self.page.evaluate(DRAWN)
        found: dict[str, Any] = self.page.evaluate("tags => axe.run({runOnly: tags, iframes: false})", RULES)
        return [f"{each['id']}: {node['html']}" for each in found["violations"] for node in each["nodes"]]

    def hear(self, said: ConsoleMessage) -> None:
        """Notes what the console says, and of what."""
        if said.type in ("error", "warning"):
            self.complaints.append(f"{said.text} {said.location['url']}")

    def forget_missing(self) -> None:
        """Lets pass that something was asked for before the index had it."""
        self.complaints[:] = [each for each in self.complaints if "status of 404" not in each]

    def pushed_off(self) -> list[str]:
        """Names of the parts of the page that scroll sideways by themselves."""
        self.page.evaluate(DRAWN)
        found: list[str] = self.page.evaluate(PUSHED_OFF)
        return found

    def overflows(self) -> bool:
        """True where the page as a whole scrolls sideways."""
        self.page.evaluate(DRAWN)
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@contextmanager
def visiting(
    browser: Browser,
    url: str,
    *,
    scheme: Literal["light", "dark"] = "light",
    size: tuple[int, int] = DESKTOP,
    still: bool = False,
) -> Iterator[Visit]:
    """Ends without complaints, and without having asked anybody else."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce" if still else "no-preference",
    )
    context.set_default_timeout(SETTLE_MS)
    visit = Visit(context.new_page(), context, url)
    page = visit.page
    page.on("console", visit.hear)
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(url) else visit.elsewhere.append(asked.url))
    try:
        yield visit
        assert not visit.complaints, visit.complaints
        assert not visit.elsewhere, visit.elsewhere
    finally:
        context.close()
