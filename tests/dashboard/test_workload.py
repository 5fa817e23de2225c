"""A machine's workload, as typed in a browser, is what its host opens."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request, expect

from anchor_client.orders import OrderDocument
from anchor_client.sealing import unseal
from local_market.keys import MarketKeyring
from tests.dashboard.ordering import REVIEW, free_machine, newcomer, run
from tests.dashboard.visit import visiting
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.browser

PORT = 8000


def opened(up: UpProcess, sent: Request) -> OrderDocument:
    """A sealed order as its host opens it."""
    keys = MarketKeyring.load_or_create(Path(up.ready["data"]) / "keys")
    sealed = base64.b64decode(sent.post_data_json["sealed"])
    document = unseal(sealed, [host.seal for host in keys.hosts.values()])
    return OrderDocument.parse(document, bytes.fromhex(sent.url.rpartition("/")[2]))


def test_workload__template_ports_and_variables__reach_the_host_and_the_page(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.page
        newcomer(visit, free_machine(visit))
        page.get_by_label("Template", exact=True).select_option("vLLM")
        expect(page.get_by_label("Image")).to_have_value("vllm/vllm-openai:latest")
        page.get_by_label("Image").fill("vllm/vllm-openai:v0.11.0")
        page.get_by_label("Ports").fill(f"{PORT}/http, 22/sctp")
        expect(page.get_by_role("paragraph").filter(has_text="Give ports like 8888/http")).to_be_visible()
        expect(page.get_by_role("button", name=REVIEW)).to_be_disabled()
        page.get_by_label("Ports").fill(f"{PORT}/http")
        page.get_by_label("Environment").fill("HF_TOKEN=secret=1\nLANG=C.UTF-8")
        page.get_by_text("saving this as a template").click()
        page.get_by_label("The template's name").fill("ours")
        page.get_by_role("button", name="Save as a template").click()

        page.reload()
        page.get_by_label("Template", exact=True).select_option("ours")
        with page.expect_request(lambda each: each.method == "PUT" and "/sealed-orders/" in each.url) as sent:
            run(visit)
        expect(page.locator("dt", has_text=f"Port {PORT}")).to_be_visible()
        expect(page.locator("dt", has_text="Through SSH").locator("xpath=following-sibling::dd")).to_contain_text(
            f"-L {PORT}:127.0.0.1:{PORT}"
        )
        assert visit.violations() == []
    order = opened(up, sent.value)
    assert (order.image, order.env) == ("vllm/vllm-openai:v0.11.0", {"HF_TOKEN": "secret=1", "LANG": "C.UTF-8"})
    assert order.command == "vllm serve Qwen/Qwen2.5-7B-Instruct --host 0.0.0.0 --port 8000"
    assert [(each.port, each.protocol) for each in order.ports] == [(PORT, "http")]
