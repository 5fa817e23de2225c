"""Listings that are verified by renters' rentals, and how long a host takes to start and to be paid."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import instructions
from anchor_client.generated.types import RentalIssue
from anchor_client.rules.verified import VERIFIED_SECONDS
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Rental
from indexer.settings import IndexerSettings
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import spec_with
from tests.program.harness.actors import HOST, USDC
from tests.program.harness.flows import accepted, running
from tests.program.harness.terms import HOUR


@pytest.fixture
def machine(market: Market) -> Pubkey:
    return market.list_machine()


def rent(
    market: Market,
    machine: Pubkey,
    seconds: int,
    *,
    issue: RentalIssue | None = None,
    renter: Pubkey | None = None,
    **order: Any,
) -> None:
    """A rental that runs so long and is stopped, reported at its start if there is an issue. A new renter's unless one
    is named.
    """
    rental = running(market, renter or market.renter(), listing=machine, mint=USDC, duration=2 * HOUR, **order)
    if issue is not None:
        market.act(market.report_issue(rental, issue))
    market.pass_time(seconds)
    market.act(market.stop_rental(rental))


def verified(market: Market, engine: Engine, machine: Pubkey) -> bool:
    """True where the API calls the machine verified: in the listing, by the filter and in the catalog."""
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        listing = api.get(f"/api/marketplace/listings/{machine}").json()
        found = {
            said: {
                each["id"]
                for each in api.get("/api/marketplace/listings", params={"verified": said}).json()["listings"]
            }
            for said in (True, False)
        }
        [gpu] = [each for each in api.get("/api/gpus").json()["gpus"] if each["id"] == listing["gpu"]]
        [only] = [
            each
            for each in api.get("/api/gpus", params={"verified": True}).json()["gpus"]
            if each["id"] == listing["gpu"]
        ]
    is_verified: bool = listing["verified"]
    assert str(machine) in found[is_verified] and str(machine) not in found[not is_verified]
    assert gpu["verified"] == only["listed"] == int(is_verified) and gpu["listed"] >= 1
    return is_verified


def test_verified__an_hour_of_paid_rentals__counts(market: Market, engine: Engine, machine: Pubkey) -> None:
    rent(market, machine, VERIFIED_SECONDS // 2)
    assert not verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS // 2)
    assert verified(market, engine, machine)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_verified__another_machine_is_listed__counts_from_there(
    market: Market, engine: Engine, machine: Pubkey
) -> None:
    rent(market, machine, VERIFIED_SECONDS)
    market.act(instructions.update_listing(authority=HOST, listing=machine, spec=spec_with(on_demand_usd=3_000_000)))
    assert verified(market, engine, machine)
    market.act(instructions.update_listing(authority=HOST, listing=machine, spec=spec_with(ram_gb=1)))
    assert not verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS)
    assert verified(market, engine, machine)


def test_verified__reported_as_not_as_listed__counts_from_there(
    market: Market, engine: Engine, machine: Pubkey
) -> None:
    renter = market.renter()
    rent(market, machine, VERIFIED_SECONDS, renter=renter)
    rent(market, machine, VERIFIED_SECONDS, issue=RentalIssue.SLOW)
    assert verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS, issue=RentalIssue.NOT_AS_LISTED, renter=renter)
    assert not verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS)
    assert verified(market, engine, machine)


def test_verified__reported_by_who_has_paid_for_nothing__neither_counts_nor_is_proof(
    market: Market, engine: Engine, machine: Pubkey
) -> None:
    rent(market, machine, VERIFIED_SECONDS, issue=RentalIssue.NOT_AS_LISTED)
    assert not verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS)
    assert verified(market, engine, machine)
    rent(market, machine, VERIFIED_SECONDS, issue=RentalIssue.NOT_AS_LISTED)
    assert verified(market, engine, machine)


def test_host__rentals_started_and_paid__says_how_long_they_took(
    market: Market, engine: Engine, machine: Pubkey
) -> None:
    for before_start, before_payment in ((4, 2), (9, 30), (6, 5)):
        rental = accepted(market, market.renter(), listing=machine, mint=USDC)
        market.pass_time(before_start)
        market.act(market.start_rental(rental))
        market.pass_time(before_payment)
        market.act(market.settle_rental(rental))
        market.pass_time(HOUR // 6)
        market.act(market.settle_rental(rental))
        market.act(market.stop_rental(rental))
    ingest(market.transactions(), engine)
    rentals = rows_of(engine, Rental)
    assert all(each.created_at < each.started_at < each.credited_at for each in rentals)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        host = api.get(f"/api/hosts/{HOST}").json()
    assert host["start_seconds"] == sorted(each.started_at - each.created_at for each in rentals)[1]
    assert host["credit_seconds"] == sorted(each.credited_at - each.created_at for each in rentals)[1]


def test_host__no_rentals__has_no_median(market: Market, engine: Engine) -> None:
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        host = api.get(f"/api/hosts/{HOST}").json()
    assert (host["start_seconds"], host["credit_seconds"]) == (None, None)
