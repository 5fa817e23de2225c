"""A terminal on a rented machine, in the page: the agent's own server with a folder of this machine behind it."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from host_agent.ssh import RenterCredentials
from host_agent.web import TerminalServer, TlsIdentity
from local_market.simulated_machine import TERMINAL
from tests.dashboard.conftest import CHROMIUM
from tests.dashboard.listening import listening
from tests.dashboard.ordering import free_machine, newcomer, run
from tests.dashboard.visit import Visit, visiting
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.process_inside import ProcessInside

pytestmark = pytest.mark.browser
OPEN = "Open a terminal"


@pytest.fixture
def trusting(browser: Browser) -> Iterator[Browser]:
    """A Chromium that has accepted every certificate, and finds the local market's machines here."""
    found = next(filter(None, map(shutil.which, CHROMIUM)))
    here = ("--ignore-certificate-errors", "--host-resolver-rules=MAP *.localnet 127.0.0.1")
    running = browser.browser_type.launch(executable_path=found, args=["--no-sandbox", *here])
    yield running
    running.close()


@asynccontextmanager
async def machine(port: int, password: str, folder: Path) -> AsyncIterator[None]:
    """The agent's terminals, inside of a folder."""
    tls = TlsIdentity.load_or_create(folder / "certificate.pem", "127.0.0.1")
    inside = ProcessInside(folder)
    server = await TerminalServer.listening(tls.context, "127.0.0.1", port, RenterCredentials(password), inside)
    try:
        yield
    finally:
        await server.close()


def said(visit: Visit, name: str) -> str:
    """Value that the connection shows under a name."""
    return visit.page.locator("dt", has_text=name).locator("xpath=following-sibling::dd/code").first.inner_text()


def test_terminal__of_a_rented_machine__is_typed_into_and_has_nothing_of_the_page(
    trusting: Browser, up: UpProcess, tmp_path: Path
) -> None:
    with visiting(trusting, up.ready["api_url"], still=True) as visit:
        page = visit.page
        scripts: list[str] = []
        page.on("request", lambda asked: scripts.append(asked.url))
        newcomer(visit, free_machine(visit))
        expect(page.get_by_label("What it costs")).to_contain_text("You hold 1,000 GPUM.")
        run(visit)
        found = re.match(r"ssh -p (\d+) ", said(visit, "Shell"))
        assert found is not None
        expect(page.get_by_text("made its certificate itself. Before the first terminal")).to_be_visible()
        expect(page.get_by_role("link", name="open its address")).to_have_attribute(
            "href", re.compile(rf"^https://.*:{int(found[1]) + TERMINAL}/$")
        )
        assert visit.violations() == []
        assert not [url for url in scripts if "terminal" in url]

        with listening(machine(int(found[1]) + TERMINAL, said(visit, "Password"), tmp_path)):
            page.get_by_role("button", name=OPEN).click()
            shell = page.frame_locator("iframe")
            rows = shell.locator(".xterm-rows")
            expect(rows).to_contain_text(">")
            shell.get_by_role("textbox").press_sequentially("echo $((6 * 7)); stty size\n")
            expect(rows).to_contain_text(re.compile(r"42[1-9]\d \d{2,3}>"))
            [frame] = [each for each in page.frames if each.url.endswith("/terminal.html")]
            assert frame.evaluate("window.origin") == "null"
            assert frame.evaluate(
                "(() => { try { return localStorage.length } catch (error) { return error.name } })()"
            ) == ("SecurityError")
            assert visit.violations() == []
            shell.get_by_role("textbox").press_sequentially("exit 7\n")
            expect(page.get_by_role("alert")).to_have_text("The shell has ended with 7.")

        page.get_by_role("button", name="Connect again").click()
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached, or the browser does not accept")
        assert any("WebSocket connection" in each for each in visit.complaints)
        visit.complaints[:] = [each for each in visit.complaints if "WebSocket connection" not in each]
