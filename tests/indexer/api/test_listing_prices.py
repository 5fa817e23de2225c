"""Each price that a listing has had, and nothing where its machine alone has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import RawEvent
from indexer.settings import IndexerSettings
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import SPEC
from tests.program.harness.actors import HOST, LISTING
from tests.program.harness.changes import respecify

PATH = f"/api/marketplace/listings/{LISTING}/prices"
LISTED = (SPEC.on_demand_usd, SPEC.spot_min_usd)
DEARER, CHEAPER, WITHOUT_SPOT = (8_000_000, 1_900_000), (5_000_000, 1_900_000), (5_000_000, 0)
EVERY_PRICE = [WITHOUT_SPOT, CHEAPER, DEARER, LISTED]
"""Newest first."""


@pytest.fixture
def changed_at(market: Market) -> list[int]:
    """When the market's machine got each of its prices, newest first; in between it got more memory."""
    moments = [market.listing().created_at]
    for on_demand_usd, spot_min_usd in reversed(EVERY_PRICE[:-1]):
        market.wait(600)
        market.act(respecify(on_demand_usd=on_demand_usd, spot_min_usd=spot_min_usd))
        moments.append(market.now)
        market.wait(600)
        market.act(respecify(on_demand_usd=on_demand_usd, spot_min_usd=spot_min_usd, ram_gb=512 + len(moments)))
    return moments[::-1]


@pytest.fixture
def api(market: Market, changed_at: list[int], engine: Engine) -> Iterator[TestClient]:
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


def told(page: dict[str, Any]) -> list[tuple[int, int]]:
    return [(each["on_demand_usd"], each["spot_min_usd"]) for each in page["prices"]]


@on_both_databases
def test_prices__changed_with_other_changes_between__are_told_newest_first(
    api: TestClient, changed_at: list[int], engine: Engine
) -> None:
    page = api.get(PATH).raise_for_status().json()
    assert told(page) == EVERY_PRICE and page["next_cursor"] is None
    assert [each["ts"] for each in page["prices"]] == changed_at
    assert {each["listing"] for each in page["prices"]} == {str(LISTING)}
    signatures = {str(event.signature) for event in rows_of(engine, RawEvent)}
    assert len({each["tx"] for each in page["prices"]} & signatures) == len(EVERY_PRICE)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


@on_both_databases
def test_prices__two_a_page__are_told_once(api: TestClient) -> None:
    first = api.get(PATH, params={"limit": 2}).json()
    second = api.get(PATH, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert told(first) + told(second) == EVERY_PRICE and second["next_cursor"] is None


def test_prices__of_a_closed_listing__are_told(market: Market, api: TestClient, engine: Engine) -> None:
    market.act(market.close_listing(LISTING))
    ingest(market.transactions(), engine)
    assert api.get(f"/api/marketplace/listings/{LISTING}").status_code == 404
    assert told(api.get(PATH).json()) == EVERY_PRICE


def test_prices__of_an_unknown_listing__are_not_found(api: TestClient) -> None:
    answer = api.get(f"/api/marketplace/listings/{HOST}/prices")
    assert (answer.status_code, answer.json()["error"]) == (404, "listing_not_found")
