"""A terminal on a rented machine, in the page: a simulated machine of the local market answers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.conftest import CHROMIUM
from tests.dashboard.ordering import free_machine, newcomer, run
from tests.dashboard.visit import visiting
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.browser
OPEN = "Open a terminal"


@pytest.fixture
def trusting(browser: Browser) -> Iterator[Browser]:
    """A Chromium that has accepted every certificate."""
    found = next(filter(None, map(shutil.which, CHROMIUM)))
    here = ("--ignore-certificate-errors",)
    running = browser.browser_type.launch(executable_path=found, args=["--no-sandbox", *here])
    yield running
    running.close()


def test_terminal__of_a_rented_machine__is_typed_into_and_has_nothing_of_the_page(
    trusting: Browser, up: UpProcess
) -> None:
    with visiting(trusting, up.ready["api_url"], still=True) as visit:
        page = visit.page
        scripts: list[str] = []
        page.on("request", lambda asked: scripts.append(asked.url))
        newcomer(visit, free_machine(visit))
        expect(page.get_by_label("What it costs")).to_contain_text("You hold 1,000 GPUM.")
        run(visit)
        expect(page.get_by_text("made its certificate itself. Before the first terminal")).to_be_visible()
        expect(page.get_by_role("link", name="open its address")).to_have_attribute(
            "href", re.compile(r"^https://127\.0\.0\.1:\d+/$")
        )
        assert visit.violations() == []
        assert not [url for url in scripts if "terminal" in url]

        page.get_by_role("button", name=OPEN).click()
        shell = page.frame_locator("iframe")
        rows = shell.locator(".xterm-rows")
        expect(rows).to_contain_text("#")
        shell.get_by_role("textbox").press_sequentially("echo $((6 * 7)); stty size\n")
        expect(rows).to_contain_text(re.compile(r"42[1-9]\d \d{2,3}"))
        [frame] = [each for each in page.frames if each.url.endswith("/terminal.html")]
        assert frame.evaluate("window.origin") == "null"
        assert frame.evaluate(
            "(() => { try { return localStorage.length } catch (error) { return error.name } })()"
        ) == ("SecurityError")
        assert visit.violations() == []
        shell.get_by_role("textbox").press_sequentially("exit 7\n")
        expect(page.get_by_role("alert")).to_have_text("The shell has ended with 7.")

        page.get_by_role("button", name="Show the GPUs' use").click()
        # One of the simulated RTX 4090 is another card.
        expect(rows).to_contain_text("GPU 0  NVIDIA")
        expect(rows).to_contain_text("MiB")
        page.get_by_role("button", name="Show the output").click()
        expect(page.get_by_title("Output of the order's command")).to_be_visible()
        assert visit.violations() == []
        page.get_by_role("button", name="Open a terminal").click()
        expect(rows).to_contain_text("#")
