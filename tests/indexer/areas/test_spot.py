"""Spot: tables equal the chain, and the API tells who holds a machine and what gets in."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import accounts
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Compensation, Listing, Rental, RentalState, SeqGap, SpotBid, Vault
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.spot import bid, contest, dropped
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import SPEC
from tests.program.harness.spot import BEST, GRACE, HELD_AT, LEAST, held, preempt


def listing_row(engine: Engine, address: Pubkey) -> Listing:
    return next(row for row in rows_of(engine, Listing) if row.address == str(address))


def assert_listing(market: Market, engine: Engine, address: Pubkey) -> None:
    """The listing's places and counters are the account's."""
    row, account = listing_row(engine, address), market.read(accounts.Listing, address)
    none = str(Pubkey.default())
    assert (row.current or none, row.challenger or none) == (str(account.current), str(account.challenger))
    assert (row.preempt_at or 0) == account.preempt_at
    for name in ("seq", "opened", "completed", "failed", "idle_since"):
        assert getattr(row, name) == getattr(account, name), name


def test_ingest__a_contest__equals_the_chain_and_rebuilds_the_same(market: Market, engine: Engine) -> None:
    listing = contest(market)
    ingest(market.transactions(), engine)
    assert rows_of(engine, SeqGap) == []
    assert_listing(market, engine, listing)
    assert sorted(row.outcome for row in rows_of(engine, SpotBid)) == ["outbid", "took_over", "took_over", "withdrawn"]
    reasons = {row.close_reason: row.status for row in rows_of(engine, Rental) if row.close_reason}
    assert reasons == {
        "preempted": "preempted",
        "outbid": "preempted",
        "withdrawn": "cancelled",
        "stopped": "completed",
    }
    for row in rows_of(engine, Rental):
        if row.ended_at is not None:
            assert (
                row.deposit + row.subsidy == row.host_paid + row.fees + row.burned + row.refunded + row.subsidy_returned
            )
    paid = {row.address: row.compensation for row in rows_of(engine, Rental) if row.compensation}
    received = {row.challenger: row.amount for row in rows_of(engine, Compensation)}
    assert received == paid and len(paid) == 2
    for vault in rows_of(engine, Vault):
        assert (
            vault.total_compensated == market.read(accounts.Vault, Pubkey.from_string(vault.address)).total_compensated
        )
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


@pytest.mark.parametrize("leaves", [True, False])
def test_ingest__host_gives_up_a_holder_whom_an_order_waits_for__books_the_compensation_as_the_chain_does(
    market: Market, engine: Engine, leaves: bool
) -> None:
    listing, holder, challenger = dropped(market, leaves=leaves)
    ingest(market.transactions(), engine)
    assert rows_of(engine, SeqGap) == []
    assert_listing(market, engine, listing)
    [received] = rows_of(engine, Compensation)
    assert (received.holder, received.challenger) == (str(holder), str(challenger)) and received.amount > 0
    vaults = {row.address: row.total_compensated for row in rows_of(engine, Vault)}
    for address, compensated in vaults.items():
        assert compensated == market.read(accounts.Vault, Pubkey.from_string(address)).total_compensated
    assert sum(vaults.values()) == received.amount


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_ingest__a_contest_in_batches__gives_the_same_tables(market: Market, engine: Engine, size: int) -> None:
    contest(market)
    sent = market.transactions()
    for start in range(0, len(sent), size):
        ingest(sent[start : start + size], engine)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_ingest__opening_of_the_holder_missed__no_bid_against_nobody(market: Market, engine: Engine) -> None:
    listing = market.list_machine()
    before = len(market.transactions())
    held(market, market.renter(), listing=listing)
    after = len(market.transactions())
    challenger = bid(market, market.renter(), listing, LEAST)
    sent = market.transactions()
    ingest(sent[:before] + sent[after:], engine)
    assert rows_of(engine, SpotBid) == []
    assert listing_row(engine, listing).challenger == str(challenger)


def test_ingest__a_warning__is_in_the_holders_history_in_its_own_sequence(market: Market, engine: Engine) -> None:
    listing = market.list_machine()
    holder = held(market, market.renter(), listing=listing)
    bid(market, market.renter(), listing, LEAST)
    ingest(market.transactions(), engine)
    states = [row for row in rows_of(engine, RentalState) if row.rental == str(holder)]
    assert [row.status for row in sorted(states, key=lambda row: row.seq)] == [
        "queued", "provisioning", "running", "running"
    ]  # fmt: skip
    assert "better order" in states[-1].message


@pytest.fixture
def spot(market: Market, engine: Engine) -> Iterator[SimpleNamespace]:
    """A listing that is held and challenged, and an API over the index."""
    listing = market.list_machine()
    holder = held(market, market.renter(), listing=listing)
    challenger = bid(market, market.renter(), listing, LEAST)
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=_status(market))) as api:
        yield SimpleNamespace(listing=listing, holder=holder, challenger=challenger, api=api, market=market)


def _status(market: Market) -> Status:
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    status.completed(clock.slot)
    return status


def test_spot__held_and_challenged__says_who_and_what_gets_in(spot: SimpleNamespace) -> None:
    book = spot.api.get(f"/api/marketplace/listings/{spot.listing}/spot").json()
    assert (book["holder"]["job"], book["challenger"]["job"]) == (str(spot.holder), str(spot.challenger))
    assert (book["holder"]["rate_usd"], book["challenger"]["rate_usd"]) == (HELD_AT, LEAST)
    assert book["minimum_bid_usd"] == BEST
    assert book["preempt_at"] == book["history"][0]["placed_at"] + GRACE
    assert [bid["outcome"] for bid in book["history"]] == ["waiting"]
    listings = spot.api.get("/api/marketplace/listings").json()["listings"]
    assert [each["available"] for each in listings if each["id"] == str(spot.listing)] == [False]


def test_spot__after_the_take_over__job_is_preempted_with_its_reason(spot: SimpleNamespace, engine: Engine) -> None:
    spot.market.pass_time(GRACE)
    spot.market.act(preempt(spot.market, spot.listing))
    ingest(spot.market.transactions(), engine)
    job = spot.api.get(f"/api/jobs/{spot.holder}").json()
    assert (job["status"], job["close_reason"]) == ("preempted", "preempted")
    paid = spot.api.get(f"/api/jobs/{spot.challenger}").json()
    [received] = job["compensations"]
    assert (received["challenger"], received["amount"]) == (paid["id"], paid["compensation"])
    assert int(paid["cost"]) == int(paid["deposit"]) + int(paid["compensation"]) and paid["compensations"] == []
    book = spot.api.get(f"/api/marketplace/listings/{spot.listing}/spot").json()
    assert (book["holder"]["job"], book["challenger"], book["preempt_at"]) == (str(spot.challenger), None, None)
    assert (book["minimum_bid_usd"], book["history"][0]["outcome"]) == (BEST, "took_over")


def test_spot__free_machine__goes_for_its_minimum(market: Market, engine: Engine) -> None:
    listing = market.list_machine()
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=_status(market))) as api:
        book = api.get(f"/api/marketplace/listings/{listing}/spot").json()
    assert (book["holder"], book["challenger"], book["minimum_bid_usd"]) == (None, None, SPEC.spot_min_usd)


def test_spot__unknown_listing__is_not_found(spot: SimpleNamespace) -> None:
    answer = spot.api.get(f"/api/marketplace/listings/{Pubkey.default()}/spot")
    assert (answer.status_code, answer.json()["error"]) == (404, "listing_not_found")
