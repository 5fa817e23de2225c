"""CO2 of rentals: integers from the seconds that the chain counts, by the months in which they ran."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.rules.carbon import grams_ceil
from indexer.api.main import create_app
from indexer.index.handlers.carbon import by_month
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import GpuUse, Rental, WalletGpuUse
from indexer.settings import IndexerSettings
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market

HOUR = 3_600
H100, PARIS = 1, 3


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("begin", "end", "months"),
    [
        (at(2026, 12, 31, 23), at(2026, 12, 31, 23), []),
        (at(2026, 12, 31, 23), at(2027, 1, 1), [(202612, HOUR)]),
        (at(2026, 12, 31, 23), at(2027, 1, 1) + 1, [(202612, HOUR), (202701, 1)]),
        (at(2027, 1, 31, 23), at(2027, 3, 1, 1), [(202701, HOUR), (202702, 28 * 24 * HOUR), (202703, HOUR)]),
    ],
)
def test_by_month__times_across_months__are_divided_without_rest(
    begin: int, end: int, months: list[tuple[int, int]]
) -> None:
    assert list(by_month(begin, end)) == months
    assert sum(seconds for _, seconds in months) == end - begin


def test_grams__of_an_hour__are_rounded_up_once() -> None:
    """350 W for an hour at 16 g/kWh and 1.56 are 8.736 g."""
    assert grams_ceil([(H100, PARIS, HOUR)]) == 9
    assert grams_ceil([(H100, PARIS, HOUR)] * 2) == 18
    assert grams_ceil([(H100, PARIS, HOUR)] * 4) == 35
    assert grams_ceil([(H100, PARIS, 0), (9_999, PARIS, HOUR), (H100, 99, HOUR)]) == 0
    assert grams_ceil([(H100, PARIS, 1)]) == 1


@on_both_databases
def test_carbon__of_a_busy_market__is_that_of_its_rentals_and_rebuilds_the_same(market: Market, engine: Engine) -> None:
    busy(market)
    ingest(market.transactions(), engine)
    ended = [row for row in rows_of(engine, Rental) if row.ended_at is not None]
    used = sum(row.used * row.gpu_count for row in ended)
    assert sum(row.gpu_seconds for row in rows_of(engine, GpuUse)) == used > 0
    assert sum(row.gpu_seconds for row in rows_of(engine, WalletGpuUse)) == used
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        everything = api.get("/api/carbon").json()
        assert sum(month["gpu_seconds"] for month in everything["months"]) == used
        assert everything["grams"] == sum(month["grams"] for month in everything["months"]) > 0
        row = max(ended, key=lambda rental: rental.used)
        job = api.get(f"/api/jobs/{row.address}").json()
        assert job["carbon_grams"] == grams_ceil([(row.gpu_model, row.region, row.used * row.gpu_count)]) > 0
        mine = api.get("/api/carbon", params={"wallet": row.renter}).json()
        assert 0 < mine["grams"] <= everything["grams"]
        for nothing in ({"since": "2099-01"}, {"until": "1999-12"}, {"region": "ap-south"}):
            assert api.get("/api/carbon", params=nothing).json() == {"grams": 0, "months": []}
        assert api.get("/api/carbon?since=2026-13").status_code == 422
