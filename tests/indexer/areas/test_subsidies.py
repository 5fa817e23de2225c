"""Draws on hosts' subsidy budgets, and outflows of the pools, as the chain says them."""

from __future__ import annotations

from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.generated.pdas import find_host
from indexer import models
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.tables import only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM, HOST, LISTING
from tests.program.harness.changes import approve_host, withdraw_unreserved
from tests.program.harness.flows import opened, running
from tests.program.harness.staking import refresh_listing, set_gpu_model
from tests.program.harness.terms import HOUR

BUDGET = ("subsidy_budget", "subsidy_booked", "subsidy_day", "seq")
LISTED = ("reference_usd", "seq")


def check(market: Market, engine: Engine) -> None:
    """Host and listings are in the index what they are on chain."""
    ingest(market.transactions(), engine)
    host, row = market.host(), only(engine, models.Host)
    assert {name: getattr(row, name) for name in BUDGET} == {name: getattr(host, name) for name in BUDGET}
    for listed in rows_of(engine, models.Listing):
        listing = market.listing(next(each for each in market.listings if str(each) == listed.address))
        assert {name: getattr(listed, name) for name in LISTED} == {name: getattr(listing, name) for name in LISTED}
    assert rows_of(engine, models.SeqGap) == []


def test_ingest__subsidies_drawn_and_returned__equal_the_chain(market: Market, engine: Engine) -> None:
    market.act(approve_host(budget=10**11))
    renter, other = market.renter(), market.list_machine()
    check(market, engine)
    rental = running(market, renter)
    market.act(market.extend_rental(rental, HOUR))
    check(market, engine)
    assert only(engine, models.Host).subsidy_booked > 0
    market.act(market.stop_rental(rental))
    market.act(market.stop_rental(opened(market, renter, listing=other)))
    market.act(market.stop_rental(opened(market, renter, listing=other)))
    check(market, engine)
    market.act(market.update_reputation(HOST, LISTING, other))
    check(market, engine)
    market.pass_time(86_400)
    market.act(market.stop_rental(opened(market, renter, listing=other)))
    market.act(set_gpu_model(1, 100, 7), refresh_listing())
    check(market, engine)


def test_host__subsidy_budget__is_told(market: Market, engine: Engine) -> None:
    market.act(approve_host(budget=10**11))
    opened(market, market.renter())
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=Status())) as api:
        told = api.get(f"/api/hosts/{HOST}").json()
    host = market.host()
    assert told["id"] == str(find_host(HOST)[0])
    assert (told["subsidy_budget"], told["subsidy_day"]) == (str(10**11), market.now // 86_400)
    assert int(told["subsidy_booked"]) == host.subsidy_booked > 0


def test_ingest__unreserved_subsidy_withdrawn__leaves_the_ledger(market: Market, engine: Engine) -> None:
    market.act(withdraw_unreserved(10**9))
    ingest(market.transactions(), engine)
    vault = market.vault()
    [row] = [row for row in rows_of(engine, models.Vault) if (row.mint, row.shard) == (str(GPUM), 0)]
    assert (row.subsidy_pool, row.total_withdrawn, row.seq) == (vault.subsidy_pool, 10**9, vault.seq)
