"""Answers of each route of the API about a market that was busy. Invariant IDX-3."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, update

from anchor_client.generated.types import RentalKind
from anchor_client.rules.order import quote_ceil
from anchor_client.rules.subsidy import Cover
from anchor_client.service.monitoring import exposition
from indexer.api.errors import Problem
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.metrics import API, INDEX
from indexer.models import DeadLetter, Rental
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM, USDC
from tests.program.harness.flows import opened, running
from tests.program.harness.market import WALLET_TOKENS
from tests.program.harness.terms import HOUR, REFERENCE_USD
from tests.program.harness.world import CONNECTION
from tests.sweeps import sampled

LISTINGS = "/api/marketplace/listings"


@pytest.fixture
def seeded(market: Market) -> SimpleNamespace:
    """Two renters with three jobs, one running, and machines of two models in two regions."""
    market.list_machine(gpu_model=6, gpu_count=1, region=1, on_demand_usd=190_000, spot_min_usd=0)
    market.list_machine(region=1, on_demand_usd=5_000_000)
    market.list_machine(visible=False)
    renters = [market.renter(), market.renter()]
    ended = running(market, renters[0], listing=market.listings[0])
    market.pass_time(600)
    market.act(market.settle_rental(ended))
    market.act(market.stop_rental(ended))
    market.wait(10)
    withdrawn = opened(market, renters[1], listing=market.listings[0], mint=USDC)
    market.act(market.stop_rental(withdrawn))
    market.wait(10)
    current = running(market, renters[0], listing=market.listings[1], duration=HOUR)
    return SimpleNamespace(market=market, renters=renters, ended=ended, withdrawn=withdrawn, running=current)


@pytest.fixture
def api(seeded: SimpleNamespace, engine: Engine) -> Iterator[TestClient]:
    """The API over the index of that market."""
    market: Market = seeded.market
    ingest(market.transactions(), engine)
    status = Status()
    clock = market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    status.completed(clock.slot)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        yield client


def test_job__ended__has_the_amounts_of_the_chain(api: TestClient, seeded: SimpleNamespace) -> None:
    market: Market = seeded.market
    job = api.get(f"/api/jobs/{seeded.ended}").json()
    renter: Pubkey = seeded.renters[0]
    held = market.tokens(renter, GPUM) + int(api.get(f"/api/jobs/{seeded.running}").json()["deposit"])
    assert int(job["cost"]) == WALLET_TOKENS - held
    assert int(job["deposit"]) == int(job["cost"]) + int(job["refunded"])
    assert int(job["burned"]) > 0 and job["burn_tx"] == job["close_tx"]
    assert job["finalized_by"] == str(renter)
    assert (job["decimals"], job["close_reason"]) == (6, "stopped")
    assert job["used"] == job["ended_at"] - job["started_at"] and 600 <= job["used"] < 660
    assert [state["status"] for state in job["history"]] == ["queued", "provisioning", "running", "completed"]
    assert sum(int(payment["amount"]) for payment in job["payments"]) == int(job["host_paid"])
    total = sum(int(job[name]) for name in ("host_paid", "fees", "burned", "refunded", "subsidy_returned"))
    assert int(job["deposit"]) + int(job["subsidy"]) == total


def test_job__running__says_what_it_costs_at_most(api: TestClient, seeded: SimpleNamespace) -> None:
    job = api.get(f"/api/jobs/{seeded.running}").json()
    assert (job["status"], job["cost"], job["burn_tx"], job["ended_at"]) == ("running", job["deposit"], None, None)
    assert base64.b64decode(job["connection"]) == CONNECTION
    assert job["paid_until"] == job["started_at"] + HOUR


def test_job__unknown__is_not_found_with_a_remedy(api: TestClient) -> None:
    answer = api.get("/api/jobs/So11111111111111111111111111111111111111112")
    assert answer.status_code == 404
    assert answer.json()["error"] == "job_not_found" and answer.json()["remedy"]


@pytest.mark.parametrize(
    ("query", "found"),
    sampled(
        [
            ("", ["running", "withdrawn", "ended"]),
            ("status=completed", ["ended"]),
            ("status=cancelled", ["withdrawn"]),
            ("region=us-east", ["running"]),
            ("region=eu-west", ["withdrawn", "ended"]),
            ("renter={0}", ["running", "ended"]),
            ("renter={1}&status=completed", []),
        ],
        every=3,
    ),
)
def test_jobs__filters__newest_first(api: TestClient, seeded: SimpleNamespace, query: str, found: list[str]) -> None:
    addresses = [str(renter) for renter in seeded.renters]
    page = api.get(f"/api/jobs?{query.format(*addresses)}").json()
    assert [job["id"] for job in page["jobs"]] == [str(getattr(seeded, name)) for name in found]
    assert page["next_cursor"] is None


@on_both_databases
@pytest.mark.parametrize(
    ("path", "key", "count"), [("/api/jobs", "jobs", 3), ("/api/marketplace/listings", "listings", 3)]
)
def test_pages__cursor__give_each_row_once(api: TestClient, path: str, key: str, count: int) -> None:
    whole = api.get(path).json()[key]
    cursor, rows = "", []
    while cursor is not None:
        page = api.get(path, params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        rows += page[key]
        cursor = page["next_cursor"]
    assert rows == whole and len(rows) == count


@pytest.mark.parametrize(
    ("query", "status", "error"),
    sampled(
        [
            ("cursor=abc", 422, "invalid_request"),
            ("cursor=W10", 422, "invalid_request"),
            ("region=mars", 400, "unknown_region"),
            ("limit=0", 422, "invalid_request"),
            ("status=done", 422, "invalid_request"),
            ("renter=zzz", 422, "invalid_request"),
        ],
        every=3,
    ),
)
def test_jobs__wrong_input__is_refused_by_name(api: TestClient, query: str, status: int, error: str) -> None:
    answer = api.get(f"/api/jobs?{query}")
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert set(answer.json()) == set(Problem.model_fields) and answer.json()["remedy"]


def test_listings__filters__keep_what_fits(api: TestClient, seeded: SimpleNamespace) -> None:
    def ids(query: str) -> list[str]:
        return [listing["id"] for listing in api.get(f"/api/marketplace/listings?{query}").json()["listings"]]

    first, rtx, pair, hidden = (str(listing) for listing in seeded.market.listings)
    assert ids("") == [rtx, pair, first] and hidden not in ids("")
    assert ids("available=true") == [pair, first]
    assert ids("available=false") == [rtx]
    assert ids("gpu=nvidia-h100-pcie-80gb") == [pair, first]
    listings = api.get(LISTINGS).json()["listings"]
    prices = {listing["id"]: listing["rates"][0]["micro_usd_per_hour"] for listing in listings}
    assert ids(f"region=us-east&max_price={prices[rtx]}") == [rtx]
    assert ids(f"max_price={prices[rtx] - 1}") == []


def test_listing__rates__are_those_of_an_order(api: TestClient, seeded: SimpleNamespace, engine: Engine) -> None:
    [listing] = api.get("/api/marketplace/listings?gpu=nvidia-rtx-4090-24gb").json()["listings"]
    [rental] = [row for row in rows_of(engine, Rental) if row.address == str(seeded.running)]
    assert listing["market_rate"] == {"usd_per_hour": "0.190000", "micro_usd_per_hour": 190_000}
    rate = listing["rates"][0]
    assert (rate["kind"], rate["mint"], rate["duration"]) == ("on-demand", str(GPUM), HOUR)
    assert rate["base_units_per_hour"] == str(rental.rate)
    assert rate["burned_per_hour"] == str(rental.burn_rate)
    assert listing["current_job"] == str(seeded.running)


def test_gpus__catalog__has_availability_and_the_lowest_price(api: TestClient, seeded: SimpleNamespace) -> None:
    gpus = {gpu["id"]: gpu for gpu in api.get("/api/gpus").json()["gpus"]}
    assert len(gpus) == 6
    h100 = gpus["nvidia-h100-pcie-80gb"]
    assert (h100["listed"], h100["available"]) == (3, 2)
    assert h100["market_rate"]["micro_usd_per_hour"] == 2_500_000
    assert {row["region"]: row["available"] for row in h100["regions"]} == {"us-east": 1, "eu-west": 1}
    market = seeded.market.market()
    mint = seeded.market.payment_mint(GPUM)
    rate = quote_ceil(2_500_000, RentalKind.ON_DEMAND, HOUR, market, mint, cover=Cover(REFERENCE_USD)).rates.rate
    assert h100["rates"][0]["base_units_per_hour"] == str(rate)
    assert h100["rates"][0]["mint"] == str(GPUM) and len(h100["rates"]) == 3
    empty = gpus["nvidia-h200-sxm5-141gb"]
    assert (empty["listed"], empty["market_rate"], empty["rates"]) == (0, None, [])


def test_gpus__hosts_gone_silent__nothing_is_available(api: TestClient, seeded: SimpleNamespace) -> None:
    status: Status = api.app.state.status  # type: ignore[attr-defined]
    clock = seeded.market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp + 301, status.market)
    assert {gpu["available"] for gpu in api.get("/api/gpus").json()["gpus"]} == {0}


def test_network__totals__add_up(api: TestClient, seeded: SimpleNamespace, engine: Engine) -> None:
    network = api.get("/api/network").json()
    assert (network["nodes"], network["online"], network["rented"], network["gpus"]) == (4, 4, 1, 7)
    assert (network["utilisation_bps"], network["pflops"]) == (2_500, "25.069")
    assert (network["rentals"], network["active_rentals"], network["hosts"]) == (3, 1, 1)
    assert sum(region["nodes"] for region in network["regions"]) == 4
    burned = {token["mint"]: int(token["burned"]) for token in network["tokens"]}
    assert burned[str(GPUM)] == sum(row.burned for row in rows_of(engine, Rental)) > 0
    assert burned[str(USDC)] == 0


def test_health__complete_index__is_ok(api: TestClient) -> None:
    answer = api.get("/health")
    assert answer.status_code == 200 and answer.json()["status"] == "ok" and answer.json()["problems"] == []


def test_health__dead_letter__is_unhealthy(api: TestClient, engine: Engine) -> None:
    letter: dict[str, Any] = {"signature": "s", "instruction_index": 0, "inner_index": 0, "slot": 1}
    letter |= {"transaction_index": 0, "data": b"", "error": "UnknownEvent", "detail": "x"}
    with engine.begin() as connection:
        connection.execute(insert(DeadLetter.table).values(**letter))
    answer = api.get("/health")
    assert (answer.status_code, answer.json()["status"], answer.json()["dead_letters"]) == (503, "unhealthy", 1)


def test_health__not_complete_yet__is_starting(seeded: SimpleNamespace, engine: Engine) -> None:
    with TestClient(create_app(IndexerSettings(), engine=engine, status=Status())) as client:
        answer = client.get("/health")
        assert (answer.status_code, answer.json()["status"]) == (503, "starting")


def test_health__no_look_for_too_long__is_unhealthy(seeded: SimpleNamespace, engine: Engine) -> None:
    status = Status()
    status.started_at -= 100
    status.failed(RuntimeError("node is down"))
    with TestClient(create_app(IndexerSettings(max_lag=60), engine=engine, status=status)) as client:
        answer = client.get("/health")
        assert answer.status_code == 503 and "node is down" in answer.json()["problems"][0]


def test_metrics__after_requests__count_them(api: TestClient) -> None:
    api.get("/api/gpus")
    assert 'gpu_market_api_request_seconds_count{route="/api/gpus",status="200"}' in exposition(API)
    assert "gpu_market_indexer_events_total" in exposition(INDEX)
    assert api.get("/metrics").status_code == 404


@on_both_databases
def test_jobs__opened_in_the_same_second__are_all_paged(api: TestClient, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(update(Rental.table).values(created_at=1))
    first = api.get("/api/jobs?limit=2").json()
    second = api.get("/api/jobs", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert len({job["id"] for job in first["jobs"] + second["jobs"]}) == 3


def test_openapi__every_operation__is_described(api: TestClient) -> None:
    schema = api.get("/openapi.json").json()
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            assert operation["summary"] and operation["description"], path
    assert {"/api/gpus", "/api/jobs", "/api/jobs/{id}", "/api/network", "/health"} <= set(schema["paths"])
