"""Meters in the index and the API: as the chain has them, and in every vault's books."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.generated import accounts
from anchor_client.generated.pdas import find_market
from indexer.api.main import create_app
from indexer.ingest import ingest
from indexer.models import Meter, MeterEntry
from indexer.rebuild import rebuild
from indexer.reconcile import _open_escrow
from indexer.settings import Settings
from indexer.status import Status
from tests.indexer.meters import CAP, CHARGES, WINDOW, Metered, metered, whole_life
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market

STATE = ("seq", "cap", "accepted", "paid", "pending", "disputed", "bandwidth_mb", "storage_gb_hours", "bandwidth_rate")


def assert_as_on_chain(meter: Metered, engine: Engine) -> None:
    row, account = only(engine, Meter), meter.account()
    assert {name: getattr(row, name) for name in STATE} == {name: getattr(account, name) for name in STATE}


def test_meter__each_step__is_as_on_chain(market: Market, engine: Engine) -> None:
    meter = metered(market, market.renter(), market.listings[0])
    steps = (
        lambda: meter.report(3_000),
        lambda: meter.report(4_000),
        meter.dispute,
        lambda: meter.report(5_000),
        meter.accept,
        meter.settle,
        lambda: meter.report(6_000),
        meter.dispute,
    )
    for step in steps:
        step()
        market.cluster.warp(1)
        assert ingest(market.transactions(), engine).gaps == {}
        assert_as_on_chain(meter, engine)


def test_meter__closed__has_divided_its_cap(market: Market, engine: Engine) -> None:
    whole_life(market, market.renter(), market.listings[0])
    result = ingest(market.transactions(), engine)
    assert (result.gaps, result.dead_letters) == ({}, 0)
    row = only(engine, Meter)
    assert row.cap == CAP == row.paid + row.refunded
    assert row.paid == 30_000 and row.closed_at is not None
    kinds = [entry.kind for entry in rows_of(engine, MeterEntry)]
    assert kinds == [
        "opened", "reported", "accepted", "paid", "reported", "disputed", "dropped", "ended", "reported", "closed"
    ]  # fmt: skip
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_reconcile__open_meter__counts_in_the_escrow(market: Market, engine: Engine) -> None:
    meter = metered(market, market.renter(), market.listings[0])
    meter.report(3_000)
    meter.accept()
    meter.settle()
    ingest(market.transactions(), engine)
    vault = market.account(accounts.Vault, market.vault(market.usdc))
    with engine.connect() as connection:
        assert _open_escrow(connection)[str(market.usdc), 0] == vault.liabilities


@pytest.fixture
def meter(market: Market) -> Metered:
    """A meter with something pending."""
    meter = metered(market, market.renter(), market.listings[0])
    meter.report(3_000, 0)
    return meter


@pytest.fixture
def api(meter: Metered, engine: Engine) -> Iterator[TestClient]:
    """The API over the index of that market."""
    market = meter.market
    ingest(market.transactions(), engine)
    status, clock = Status(), market.cluster.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.account(accounts.Market, find_market()[0]))
    status.completed(clock.slot)
    with TestClient(create_app(Settings(), engine=engine, status=status)) as client:
        yield client


def test_charges__pending__says_until_when_to_dispute(api: TestClient, meter: Metered) -> None:
    found = api.get(f"/api/jobs/{meter.rental}/charges").json()
    state = meter.account()
    assert (found["meter"], found["cap"], found["pending"]) == (str(meter.address), str(CAP), "20000")
    assert found["dispute_by"] == state.reported_at + WINDOW and found["report_by"] is None
    assert found["charges"] == CHARGES.field_values()
    assert [entry["kind"] for entry in found["history"]] == ["opened", "reported"]


def test_charges__window_over__are_accepted(meter: Metered, engine: Engine) -> None:
    market = meter.market
    ingest(market.transactions(), engine)
    status = Status()
    later = meter.account().reported_at + WINDOW + 1
    status.saw_head(market.cluster.clock.slot, later, market.account(accounts.Market, find_market()[0]))
    with TestClient(create_app(Settings(), engine=engine, status=status)) as client:
        found = client.get(f"/api/jobs/{meter.rental}/charges").json()
    assert (found["accepted"], found["pending"], found["dispute_by"]) == ("20000", "0", None)


def test_charges__job_without_a_meter__is_not_found(api: TestClient, market: Market) -> None:
    answer = api.get(f"/api/jobs/{market.listings[0]}/charges")
    assert (answer.status_code, answer.json()["error"]) == (404, "meter_not_found")


def test_listings__charges__are_shown(api: TestClient, meter: Metered) -> None:
    listings = {each["id"]: each["charges"] for each in api.get("/api/marketplace/listings").json()["listings"]}
    assert listings[str(meter.market.listings[0])] == CHARGES.field_values()
    assert set(map(type, listings.values())) <= {dict, type(None)}
