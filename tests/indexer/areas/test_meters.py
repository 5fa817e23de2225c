"""Meters in the index and the API: as the chain has them, and in every vault's books."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.proof.reconcile import _open_escrow
from indexer.index.rebuild import rebuild
from indexer.models import Meter, MeterEntry
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.meters import WINDOW, metered, report, settled, whole_life
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market
from tests.program.harness import charges
from tests.program.harness.actors import HOST, USDC
from tests.program.harness.charges import CAP, CHARGES, FREE_MB
from tests.program.harness.faults import close_tokens
from tests.program.harness.flows import running
from tests.program.harness.tokens import put_tokens

GIGABYTE = CHARGES.bandwidth_usd
"""Cost of one above the allowance in USDC, whose base units are micro-USD."""
STATE = ("seq", "cap", "accepted", "paid", "pending", "disputed", "bandwidth_mb", "storage_gb_hours", "bandwidth_rate")


def assert_as_on_chain(market: Market, meter: Pubkey, engine: Engine) -> None:
    row, account = only(engine, Meter), charges.read(market, meter)
    assert {name: getattr(row, name) for name in STATE} == {name: getattr(account, name) for name in STATE}


def test_meter__each_step__is_as_on_chain(market: Market, engine: Engine) -> None:
    meter = metered(market, market.renter(), market.listings[0])
    steps = (
        lambda: charges.report_usage(market, meter, FREE_MB + 2_000),
        lambda: charges.report_usage(market, meter, FREE_MB + 3_000),
        lambda: charges.dispute_usage(market, meter),
        lambda: charges.report_usage(market, meter, FREE_MB + 4_000),
        lambda: charges.accept_usage(market, meter),
        lambda: charges.settle_meter(market, meter),
        lambda: charges.report_usage(market, meter, FREE_MB + 5_000),
        lambda: charges.dispute_usage(market, meter),
    )
    for step in steps:
        market.act(step())
        market.wait(1)
        assert ingest(market.transactions(), engine).gaps == {}
        assert_as_on_chain(market, meter, engine)


def test_meter__closed__has_divided_its_cap(market: Market, engine: Engine) -> None:
    whole_life(market, market.renter(), market.listings[0])
    result = ingest(market.transactions(), engine)
    assert (result.gaps, result.dead_letters) == ({}, 0)
    row = only(engine, Meter)
    assert row.cap == CAP == row.paid + row.refunded
    assert row.paid == 3 * GIGABYTE and row.closed_at is not None
    kinds = [entry.kind for entry in rows_of(engine, MeterEntry)]
    assert kinds == [
        "opened", "reported", "accepted", "paid", "reported", "disputed", "dropped", "ended", "reported", "closed"
    ]  # fmt: skip
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_meter__host_that_cannot_be_paid__loses_its_part_and_the_escrow_agrees(market: Market, engine: Engine) -> None:
    meter = metered(market, market.renter(), market.listings[0])
    report(market, meter, 2_000)
    owner = charges.read(market, meter).renter
    charges.ended(market, meter)
    close_tokens(market, HOST, USDC)
    held = market.tokens(owner, USDC)
    put_tokens(market.cluster, USDC, owner, held, frozen=True)
    market.wait(2 * WINDOW + 1)
    market.act(charges.close_meter(market, meter))
    assert ingest(market.transactions(), engine).gaps == {}
    assert_as_on_chain(market, meter, engine)
    vault = market.vault(USDC)
    with engine.connect() as connection:
        assert _open_escrow(connection)[str(USDC), 0] == vault.liabilities
    put_tokens(market.cluster, USDC, owner, held)
    market.act(charges.close_meter(market, meter))
    ingest(market.transactions(), engine)
    row = only(engine, Meter)
    assert (row.paid, row.kept, row.refunded) == (0, 2 * GIGABYTE, CAP - 2 * GIGABYTE)
    assert row.cap == CAP and row.closed_at is not None


def test_reconcile__open_meter__counts_in_the_escrow(market: Market, engine: Engine) -> None:
    meter = metered(market, market.renter(), market.listings[0])
    settled(market, meter)
    ingest(market.transactions(), engine)
    vault = market.vault(USDC)
    with engine.connect() as connection:
        assert _open_escrow(connection)[str(USDC), 0] == vault.liabilities


@pytest.fixture
def meter(market: Market) -> Pubkey:
    """A meter with something pending."""
    meter = metered(market, market.renter(), market.listings[0])
    report(market, meter, 2_000)
    return meter


@pytest.fixture
def api(market: Market, meter: Pubkey, engine: Engine) -> Iterator[TestClient]:
    """The API over the index of that market."""
    ingest(market.transactions(), engine)
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    status.completed(clock.slot)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        yield client


def test_charges__pending__says_until_when_to_dispute(api: TestClient, market: Market, meter: Pubkey) -> None:
    state = charges.read(market, meter)
    found = api.get(f"/api/jobs/{state.rental}/charges").json()
    assert (found["meter"], found["cap"], found["pending"]) == (str(meter), str(CAP), str(2 * GIGABYTE))
    assert found["dispute_by"] == state.reported_at + WINDOW and found["report_by"] is None
    assert found["charges"] == CHARGES.field_values()
    assert [entry["kind"] for entry in found["history"]] == ["opened", "reported"]


def test_charges__window_over__are_accepted(market: Market, meter: Pubkey, engine: Engine) -> None:
    ingest(market.transactions(), engine)
    status = Status()
    state = charges.read(market, meter)
    later = state.reported_at + WINDOW + 1
    status.saw_head(market.node.clock.slot, later, market.market())
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        found = client.get(f"/api/jobs/{state.rental}/charges").json()
    assert (found["accepted"], found["pending"], found["dispute_by"]) == (str(2 * GIGABYTE), "0", None)


def test_charges__job_without_a_meter__is_not_found(api: TestClient, market: Market) -> None:
    answer = api.get(f"/api/jobs/{market.listings[0]}/charges")
    assert (answer.status_code, answer.json()["error"]) == (404, "meter_not_found")


def test_job__with_a_meter__names_it_as_long_as_it_is_asked_for(
    api: TestClient, market: Market, meter: Pubkey, engine: Engine
) -> None:
    rental, without = (
        charges.read(market, meter).rental,
        running(market, market.renter(), listing=market.list_machine()),
    )
    ingest(market.transactions(), engine)
    assert api.get(f"/api/jobs/{rental}").json()["meter"] == str(meter)
    assert api.get(f"/api/jobs/{without}").json()["meter"] is None
    charges.ended(market, meter)
    market.wait(WINDOW + 1)
    market.act(charges.close_meter(market, meter))
    ingest(market.transactions(), engine)
    assert api.get(f"/api/jobs/{rental}").json()["meter"] == str(meter)
    assert {job["meter"] for job in api.get("/api/jobs").json()["jobs"]} == {None}


def test_listings__charges__are_shown(api: TestClient, market: Market) -> None:
    listings = {each["id"]: each["charges"] for each in api.get("/api/marketplace/listings").json()["listings"]}
    assert listings[str(market.listings[0])] == CHARGES.field_values()
    assert set(map(type, listings.values())) <= {dict, type(None)}
