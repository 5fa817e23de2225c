"""Asking prices over time: each hour has the prices that hold at its end, whatever happened in it."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.rules.catalog import gpu_slug
from indexer.api.main import create_app
from indexer.api.routes.series import asks
from indexer.index.ingest import ingest
from indexer.models.series import HOUR
from indexer.settings import IndexerSettings
from tests.indexer.areas.test_series import status_at
from tests.indexer.databases import on_both_databases
from tests.markets.recorded import Market
from tests.program.harness.actors import LISTING
from tests.program.harness.changes import respecify

MODEL = 6
NONE = {"machines": 0, "min_usd": None, "median_usd": None, "max_usd": None, "min_spot_usd": None}


def priced(market: Market, listing: Pubkey, on_demand: int, spot: int = 0, **changes: Any) -> None:
    prices = {"on_demand_usd": on_demand, "spot_min_usd": spot}
    market.act(respecify(listing=listing, **{"gpu_model": MODEL, "gpu_count": 1, **prices, **changes}))


def told(market: Market, engine: Engine, **asked: Any) -> list[dict[str, Any]]:
    """Points of the model's asks, without their times."""
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status_at(market.now))) as api:
        answer = api.get("/api/series/asks", params={"gpu": gpu_slug(MODEL), **asked}).raise_for_status().json()
    found = [one["points"] for one in answer["series"]]
    return [{name: value for name, value in point.items() if name != "at"} for point in found[0]] if found else []


def figures(*prices: int, spot: int | None = None) -> dict[str, Any]:
    ordered = sorted(prices)
    middle = ordered[(len(ordered) - 1) // 2]
    ends = {"min_usd": ordered[0], "median_usd": middle, "max_usd": ordered[-1]}
    return {"machines": len(ordered), **ends, "min_spot_usd": spot}


@on_both_databases
def test_asks__prices_change__each_hour_has_those_at_its_end(market: Market, engine: Engine) -> None:
    market.wait(HOUR - market.now % HOUR)
    first = market.now
    one = market.list_machine(gpu_model=MODEL, gpu_count=1, on_demand_usd=900, spot_min_usd=500)
    priced(market, one, 700, 500)
    priced(market, one, 800, 600)
    market.wait(HOUR)
    two = market.list_machine(gpu_model=MODEL, gpu_count=4, on_demand_usd=4_003, spot_min_usd=0)
    market.wait(2 * HOUR)
    priced(market, two, 2_000, gpu_count=4)
    market.act(market.close_listing(one))
    market.wait(HOUR)
    hours = [
        figures(800, spot=600),
        figures(800, 1_000, spot=600),
        figures(800, 1_000, spot=600),
        figures(500),
        figures(500),
    ]
    assert told(market, engine, since=first - HOUR) == [NONE, *hours]
    assert told(market, engine, since=first + 2 * HOUR) == hours[2:]
    assert told(market, engine, since=first + 2 * HOUR, listing=str(two)) == [
        figures(1_000),
        figures(500),
        figures(500),
    ]
    assert told(market, engine, since=first, step="day")[-1] == figures(500)


def test_asks__hidden_machine__counts_for_itself_alone(market: Market, sqlite_engine: Engine) -> None:
    hidden = market.list_machine(gpu_model=MODEL, gpu_count=1, on_demand_usd=900, spot_min_usd=0)
    priced(market, hidden, 900, visible=False)
    assert told(market, sqlite_engine) == []
    assert told(market, sqlite_engine, listing=str(hidden))[-1] == figures(900)


def test_asks__without_a_model__have_a_series_for_each(market: Market, sqlite_engine: Engine) -> None:
    market.list_machine(gpu_model=MODEL, gpu_count=1, on_demand_usd=900, spot_min_usd=0)
    ingest(market.transactions(), sqlite_engine)
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine, status=status_at(market.now))) as api:
        series = api.get("/api/series/asks").json()["series"]
    assert [one["gpu"] for one in series] == sorted({gpu_slug(market.listing(LISTING).gpu_model), gpu_slug(MODEL)})


def test_asks__of_more_prices_than_allowed__are_refused(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asks, "MOST_PRICES", 1)
    market.list_machine(gpu_model=MODEL, gpu_count=1, on_demand_usd=900, spot_min_usd=0)
    ingest(market.transactions(), sqlite_engine)
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine, status=status_at(market.now))) as api:
        assert api.get("/api/series/asks", params={"gpu": gpu_slug(MODEL)}).status_code == 200
        refused = api.get("/api/series/asks")
    assert (refused.status_code, refused.json()["error"]) == (400, "too_many_prices")
