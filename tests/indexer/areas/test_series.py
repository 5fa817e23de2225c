"""Time series: what is kept of each hour and day is what all events come to, and answers have a point for each.

Invariant IDX-7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from sqlalchemy.engine import default

from anchor_client.generated.constants import BPS
from anchor_client.rules.catalog import GPU_BY_ID, gpu_slug, region_slug
from indexer.api.main import create_app
from indexer.api.places import ROWS
from indexer.api.series import MOST_POINTS
from indexer.index.handlers.series import keep_series
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import (
    EarningPoint,
    FeeSweep,
    MarketLevel,
    MarketPoint,
    MoneyPoint,
    PaymentMint,
    Price,
    Rental,
    Settlement,
    Vault,
)
from indexer.models.series import DAY, HOUR
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.rows import Rows
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases, sqlite
from tests.indexer.recount import counted, levels_of, wander
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.flows import running
from tests.sweeps import exhaustive, nightly

PICO_PER_MICRO = 10**6
STEPS = {"hour": HOUR, "day": DAY}
PATHS = tuple(f"/api/series/{name}" for name in ("capacity", "rentals", "rates", "asks", "money"))


class Still(Status):
    """The chain's time stands still until it is told."""

    def now(self) -> int:
        return self._unix_timestamp


def status_at(now: int) -> Status:
    status = Still()
    status.saw_head(1, now, None)
    return status


@pytest.fixture
def status() -> Status:
    return status_at(1_790_000_000)


@pytest.fixture
def api(sqlite_engine: Engine, status: Status) -> Iterator[TestClient]:
    """Of an empty index."""
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine, status=status)) as client:
        yield client


def series(api: TestClient, name: str, **asked: Any) -> list[dict[str, Any]]:
    """All series of a metric."""
    found: list[dict[str, Any]] = api.get(f"/api/series/{name}", params=asked).raise_for_status().json()["series"]
    return found


def points(api: TestClient, name: str, **asked: Any) -> list[dict[str, Any]]:
    """The points of the only one."""
    [found] = series(api, name, **asked)
    told: list[dict[str, Any]] = found["points"]
    return told


@on_both_databases
@pytest.mark.parametrize("seed", [1, exhaustive(2), *map(nightly, range(3, 12))])
def test_series__of_a_market_at_random__are_what_its_events_come_to(
    market: Market, engine: Engine, seed: int, tmp_path: Path
) -> None:
    wander(market, seed, 30)
    busy(market)
    transactions = market.transactions()
    ingest(transactions, engine, batch=20)
    with sqlite(tmp_path / "empty.db") as empty:
        history = levels_of(transactions, empty)
    rentals = rows_of(engine, Rental)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status_at(market.now))) as api:
        for step, seconds in STEPS.items():
            since = history[0][0] + 10 * HOUR
            window = {"step": step, "since": since, "until": since + 60 * seconds}
            assert_capacity(api, history, seconds, window)
            assert_rentals(api, rentals, seconds, window)
            assert_rates(api, rentals, seconds, window)
        assert_money(api, engine)
        assert_earnings(api, engine)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def assert_capacity(api: TestClient, history: Any, seconds: int, window: dict[str, Any]) -> None:
    """Of each place, and of all together."""
    places = {place for _, levels in history for place in levels}
    whole = points(api, "capacity", **window)
    sums = [[0] * 5 for _ in whole]
    for model, region in sorted(places):
        asked = {"gpu": gpu_slug(model), "region": region_slug(region)}
        told, running_then = points(api, "capacity", **asked, **window), points(api, "rentals", **asked, **window)
        for point, rentals, total in zip(told, running_then, sums, strict=True):
            end = point["at"] + seconds
            gpu_seconds, rented_seconds, gpus, rented, active = counted(history, (model, region), point["at"], end)
            assert (point["gpus"], point["rented_gpus"], rentals["running"]) == (gpus, rented, active)
            assert (point["gpu_seconds"], point["rented_gpu_seconds"]) == (gpu_seconds, rented_seconds)
            figures = gpus, rented, gpu_seconds, rented_seconds, gpu_seconds * GPU_BY_ID[model].tensor_tflops
            total[:] = map(sum, zip(total, figures, strict=True))
    for point, (gpus, rented, gpu_seconds, rented_seconds, work) in zip(whole, sums, strict=True):
        assert (point["gpus"], point["rented_gpus"]) == (gpus, rented)
        assert point["utilisation_bps"] == (rented_seconds * BPS // gpu_seconds if gpu_seconds else 0)
        assert round(float(point["pflops"]) * 1_000) == work // seconds
    assert sum(rented for _, _, _, rented, _ in sums) > 0
    for by, part in (("model", 0), ("region", 1)):
        found = series(api, "capacity", by=by, **window)
        assert len(found) == len({place[part] for place in places})
        assert [
            sum(point["gpu_seconds"] for point in each) for each in zip(*(one["points"] for one in found), strict=True)
        ] == [total[2] for total in sums]


def assert_rentals(api: TestClient, rentals: list[Rental], seconds: int, window: dict[str, Any]) -> None:
    """Asserts that the series counts openings, starts and ends of the rentals, by periods of `seconds`."""
    told = points(api, "rentals", **window)
    for name, at in (("opened", "created_at"), ("started", "started_at"), ("ended", "ended_at")):
        moments = [getattr(rental, at) for rental in rentals if getattr(rental, at) is not None]
        expected = Counter(moment - moment % seconds for moment in moments)
        assert {point["at"]: point[name] for point in told if point[name]} == {
            start: times for start, times in expected.items() if told[0]["at"] <= start <= told[-1]["at"]
        }
        assert any(point[name] for point in told)


def assert_rates(api: TestClient, rentals: list[Rental], seconds: int, window: dict[str, Any]) -> None:
    """Of each kind and model."""
    for kind in {rental.kind for rental in rentals}:
        for one in series(api, "rates", kind=kind, **window):
            for point in one["points"]:
                rates = [
                    rental.rate_usd // rental.gpu_count
                    for rental in rentals
                    if (rental.kind, gpu_slug(rental.gpu_model)) == (kind, one["gpu"])
                    and rental.created_at - rental.created_at % seconds == point["at"]
                ]
                told = tuple(point[name] for name in ("rentals", "min_usd", "median_usd", "max_usd"))
                assert told == (
                    (len(rates), min(rates), median_low(rates), max(rates)) if rates else (0, None, None, None)
                )


def assert_money(api: TestClient, engine: Engine) -> None:
    """All that was burned and became fees, in the hours and days in which it did."""
    burned, fees = Counter[str](), Counter[str]()
    for vault in rows_of(engine, Vault):
        burned[vault.mint] += vault.total_burned
        fees[vault.mint] += vault.fees_due
    mints = {vault.address: vault.mint for vault in rows_of(engine, Vault)}
    for sweep in rows_of(engine, FeeSweep):
        fees[mints[sweep.vault]] += sweep.burned + sweep.treasury + sweep.stakers
    kept = rows_of(engine, MoneyPoint)
    for seconds in STEPS.values():
        of_step = [row for row in kept if row.step == seconds]
        assert {name: sum(row.burned for row in of_step if row.mint == name) for name in burned} == burned
        assert {name: sum(row.fees for row in of_step if row.mint == name) for name in fees} == fees
    assert any(burned.values()) and any(fees.values())
    for row in kept[:3]:
        [told] = points(api, "money", mint=row.mint, since=row.start, until=row.start)
        assert told == {"at": row.start, "burned": str(row.burned), "fees": str(row.fees)}
    assert len(series(api, "money")) == len(burned)


def assert_earnings(api: TestClient, engine: Engine) -> None:
    """All payments to each host, in the hours and days in which they were made, at the prices of then."""
    decimals = {mint.mint: mint.decimals for mint in rows_of(engine, PaymentMint)}
    prices = sorted(rows_of(engine, Price), key=lambda price: (price.ts, price.seq))
    expected: dict[tuple[str, int, int, str], list[int]] = {}
    for paid in rows_of(engine, Settlement):
        price = [each.price for each in prices if each.mint == paid.mint and each.ts <= paid.ts][-1]
        for step in STEPS.values():
            sums = expected.setdefault((paid.host, step, paid.ts - paid.ts % step, paid.mint), [0, 0, 0])
            worth = paid.amount * price // (10 ** decimals[paid.mint] * PICO_PER_MICRO)
            sums[:] = sums[0] + paid.amount, sums[1] + worth, sums[2] + 1
    kept = rows_of(engine, EarningPoint)
    assert {(row.host, row.step, row.start, row.mint): [row.amount, row.usd, row.payouts] for row in kept} == expected
    for row in (kept[0], kept[-1]):
        step = next(name for name, seconds in STEPS.items() if seconds == row.step)
        told = series(api, "earnings", host=row.host, step=step, since=row.start, until=row.start)
        [point] = next(each["points"] for each in told if each["mint"] == row.mint)
        assert point == {"at": row.start, "amount": str(row.amount), "usd": row.usd, "payouts": row.payouts}
    assert series(api, "earnings", host=kept[0].mint) == []


def keep(engine: Engine, at: int, **changes: int) -> None:
    """Counts something of H100s in Paris, in a batch of its own."""
    with engine.begin() as connection:
        rows = Rows(connection)
        rows.add_up(MarketLevel, (1, 3, at), **changes)
        keep_series(rows)
        rows.write()


def test_series__of_events_about_the_hour__count_in_the_hour_that_they_are_in(
    api: TestClient, status: Status, sqlite_engine: Engine
) -> None:
    """Two GPUs are rented for an hour from a second before, at, or after its beginning."""
    last = status.now() - status.now() % HOUR
    for hour, late in ((last - 10 * HOUR, -1), (last - 6 * HOUR, 0), (last - 2 * HOUR, 1)):
        assert_rented_hour(api, sqlite_engine, hour, late)


def assert_rented_hour(api: TestClient, engine: Engine, hour: int, late: int) -> None:
    """Of two GPUs, `late` seconds after `hour`."""
    keep(engine, hour + late, gpus=2, rented_gpus=2, started=1, running=1)
    keep(engine, hour + late + HOUR, gpus=-2, rented_gpus=-2, ended=1, running=-1)
    told = points(api, "capacity", since=hour - 1, until=hour + HOUR)
    flows = points(api, "rentals", since=hour - 1, until=hour + HOUR)
    assert [point["at"] for point in told] == [point["at"] for point in flows] == [hour - HOUR, hour, hour + HOUR]
    before, after = max(-late, 0), max(late, 0)
    rented = [2 * before, 2 * (HOUR - before - after), 2 * after]
    assert [point["rented_gpu_seconds"] for point in told] == rented
    assert [point["started"] for point in flows] == [int(late < 0), int(late >= 0), 0]
    assert [point["ended"] for point in flows] == [0, int(late < 0), int(late >= 0)]
    assert [point["running"] for point in flows] == [int(late < 0), int(late >= 0), 0]
    assert [point["rented_gpus"] for point in told] == [2 * point["running"] for point in flows]


def test_series__of_an_event_dated_before_the_last__counts_as_of_the_last(sqlite_engine: Engine) -> None:
    keep(sqlite_engine, HOUR + 60, gpus=4)
    keep(sqlite_engine, HOUR - 60, gpus=2)
    hour, day = rows_of(sqlite_engine, MarketPoint)
    assert (hour.start, hour.gpus, hour.gpu_seconds) == (HOUR, 6, 6 * (HOUR - 60))
    assert (day.start, day.gpus, day.gpu_seconds) == (0, 6, 6 * (DAY - HOUR - 60))
    assert only(sqlite_engine, MarketLevel).counted_at == HOUR + 60


def test_series__of_hours_without_events__have_the_levels_before_and_nothing_that_happened(
    market: Market, sqlite_engine: Engine
) -> None:
    running(market, market.renter(), listing=market.listings[0])
    ingest(market.transactions(), sqlite_engine)
    later = market.now + 100 * HOUR
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine, status=status_at(later))) as api:
        told, flows = points(api, "capacity", since=later), points(api, "rentals", since=later)
    assert [(point["rented_gpus"], point["rented_gpu_seconds"], point["utilisation_bps"]) for point in told] == [
        (2, 2 * HOUR, BPS)
    ]
    assert [{**point, "at": 0} for point in flows] == [{"at": 0, "opened": 0, "started": 0, "ended": 0, "running": 1}]


def test_series__as_many_points_as_allowed__are_answered_and_one_more_is_refused(
    api: TestClient, status: Status
) -> None:
    for path, (step, seconds) in (*product(PATHS, [("hour", HOUR)]), (PATHS[0], ("day", DAY))):
        first = status.now() - status.now() % seconds - (MOST_POINTS - 1) * seconds
        assert api.get(path, params={"step": step, "since": first}).status_code == 200
        told = api.get(path, params={"step": step, "since": first - 1})
        assert (told.status_code, told.json()["error"], told.json()["parameter"]) == (400, "too_many_points", "since")


def test_series__since_after_until__is_refused(api: TestClient, status: Status) -> None:
    now = status.now()
    for path in PATHS:
        for asked in ({"since": now + 1}, {"since": now + 1, "until": 2**63 - 1}, {"since": 10, "until": 9}):
            told = api.get(path, params=asked)
            assert (told.status_code, told.json()["error"]) == (400, "since_after_until")


def test_series__without_anything__have_zeros_for_the_last_hours_or_days(api: TestClient, status: Status) -> None:
    now = status.now()
    for step, number in (("hour", 24), ("day", 30)):
        seconds = STEPS[step]
        told = points(api, "capacity", step=step)
        assert [point["at"] for point in told] == list(
            range(now - now % seconds - (number - 1) * seconds, now, seconds)
        )
        assert {(point["gpus"], point["utilisation_bps"], point["pflops"]) for point in told} == {(0, 0, "0.000")}
    assert [point["at"] for point in points(api, "rentals", since=9, until=9)] == [0]
    assert [point["at"] for point in points(api, "rentals", until=2**63 - 1)][-1] == now - now % HOUR
    assert series(api, "capacity", by="model") == series(api, "rates") == series(api, "money") == []


def test_series__kept__are_made_anew_when_something_happened_and_when_an_hour_begins(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.api.kept.answers.PACE_SECONDS", 0)
    ingest(market.transactions(), sqlite_engine)
    status = status_at(market.now)
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine, status=status)) as api:
        first = api.get("/api/series/rentals")
        again = api.get("/api/series/rentals", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        running(market, market.renter(), listing=market.listings[0])
        ingest(market.transactions(), sqlite_engine)
        assert points(api, "rentals")[-1]["running"] == 1
        hour = market.now - market.now % HOUR
        for moment in (hour + HOUR - 1, hour + HOUR):
            status.saw_head(2, moment, None)
            assert points(api, "rentals")[-1]["at"] == moment - moment % HOUR


def test_rows__of_a_window__are_found_without_reading_older_ones(sqlite_engine: Engine) -> None:
    asked = dict.fromkeys(("step", "model", "region", "first", "last"), 1)
    query = str(ROWS.compile(dialect=default.DefaultDialect(paramstyle="named")))
    with sqlite_engine.connect() as connection:
        plan = [row.detail for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"), asked)]
    assert [step for step in plan if "start>? AND start<?" in step]
    assert not [step for step in plan if "SCAN" in step]
