"""The network's page: figures over time, drawn and as a table."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.visit import visiting
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.browser

HOURS_OF_A_WEEK = 7 * 24 + 1
"""And the hour that runs."""


def test_network__model_region_and_week_chosen__charts_and_tables_are_the_apis(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open("/network")
        page.get_by_role("radio", name="Week").check()
        page.get_by_role("combobox", name="Model").select_option("nvidia-h100-pcie-80gb")
        with page.expect_response(lambda answer: "/capacity?" in answer.url and "us-east" in answer.url) as told:
            page.get_by_role("combobox", name="Region").select_option("us-east")
        [week] = told.value.json()["series"]
        chart = page.locator("div", has=page.get_by_role("heading", name="GPUs", exact=True)).last
        expect(chart.locator("canvas")).to_be_visible()
        chart.get_by_text("As a table").click()
        rows = chart.locator("details tbody tr")
        expect(rows).to_have_count(len(week["points"]))
        assert len(week["points"]) >= HOURS_OF_A_WEEK
        asked = {"step": "day", "gpu": "nvidia-h100-pcie-80gb", "region": "us-east"}
        [series] = httpx.get(f"{up.ready['api_url']}/api/series/capacity", params=asked, timeout=PATIENCE).json()[
            "series"
        ]
        newest = series["points"][-1]
        expect(rows.last.locator("td").nth(1)).to_have_text(str(newest["gpus"]))
        expect(rows.last.locator("td").nth(2)).to_have_text(str(newest["rented_gpus"]))
        assert visit.violations() == [] and not visit.overflows()


def test_network__keyboard_only__changes_the_time(browser: Browser, up: UpProcess) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        page = visit.open("/network")
        page.get_by_role("radio", name="Day").focus()
        with page.expect_response(lambda answer: "/api/series/capacity?step=day" in answer.url):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowRight")
        expect(page.get_by_role("radio", name="Month")).to_be_checked()
