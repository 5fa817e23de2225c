"""Due work by the API against due work by the keeper's own rules on the chain."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.rules.rental import is_finished, still_open
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from keeper.snapshot import Snapshot
from keeper.tasks import find_rentals_due, next_rental_due_at
from tests.indexer.databases import on_both_databases
from tests.indexer.spot import bid
from tests.markets.recorded import Market
from tests.program.harness.flows import finished, opened, running
from tests.program.harness.spot import LEAST, held
from tests.program.harness.terms import HOUR

FAR = 2**40


@pytest.fixture
def going(market: Market, engine: Engine) -> Iterator[SimpleNamespace]:
    """A job in each state in which a keeper may have something to do, and an open request; nothing is due yet."""
    renter, other = market.renter(), market.renter()
    machines = [market.list_machine() for _ in range(4)]
    done = finished(market, renter, listing=machines[0], seconds=600)
    market.beat()
    jobs = {
        "finished": done,
        "running": running(market, renter, listing=machines[0], duration=2 * HOUR),
        "queued": opened(market, renter, listing=machines[1]),
        "holding": held(market, renter, listing=machines[2]),
    }
    jobs["waiting"] = bid(market, other, machines[2], LEAST)
    stopped = running(market, renter, listing=machines[3])
    market.act(market.stop_rental(stopped))
    request = market.ask(other)
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        yield SimpleNamespace(market=market, jobs=jobs, request=request, stopped=stopped, api=api)


def named(api: TestClient, **query: Any) -> dict[str, int]:
    """When each is due, by its address."""
    due: list[dict[str, Any]] = api.get("/api/due", params=query).raise_for_status().json()["due"]
    assert [entry["due_at"] for entry in due] == sorted(entry["due_at"] for entry in due)
    return {entry["id"]: entry["due_at"] for entry in due}


def snapshot(market: Market, rentals: list[Pubkey]) -> Snapshot:
    """The chain as a keeper reads it."""
    known = {address: market.read(Rental, address) for address in rentals}
    listings = {each.listing: market.read(Listing, each.listing) for each in known.values()}
    ended = {address: rental for address, rental in known.items() if is_finished(rental)}
    return Snapshot(market.now, still_open(known), listings, {}, ended)


@on_both_databases
def test_due__each_moment__names_whatever_the_chain_lets_a_keeper_do(going: SimpleNamespace) -> None:
    market, jobs = going.market, list(going.jobs.values())
    state, now = snapshot(market, jobs), market.now
    found: set[Pubkey] = set()
    tasks: set[str] = set()
    while (moment := next_rental_due_at(state, now)) is not None:
        now, due = moment, find_rentals_due(state, moment)
        assert due and {str(entry.address) for entry in due} <= named(going.api, before=now).keys()
        found |= {entry.address for entry in due}
        tasks |= {entry.task.name for entry in due}
    assert found == set(jobs)
    assert tasks == {
        *("finalize_rental", "mark_silent", "release_holdback", "cancel_unstarted"),
        *("preempt_rental", "withdraw_challenger"),
    }


@on_both_databases
def test_due__nothing_due_yet__names_only_what_waits(going: SimpleNamespace) -> None:
    before = going.market.now
    assert named(going.api, before=before).keys() == {str(going.jobs["waiting"]), str(going.request)}
    everything = named(going.api, before=FAR)
    assert everything.keys() == {str(address) for address in (*going.jobs.values(), going.request)}


def test_due__pages__give_each_once(going: SimpleNamespace) -> None:
    found: list[str] = []
    query: dict[str, Any] = {"before": FAR, "limit": 1}
    while True:
        page = going.api.get("/api/due", params=query).raise_for_status().json()
        found += [entry["id"] for entry in page["due"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert len(found) == 6 and found == list(named(going.api, before=FAR))


@pytest.mark.exhaustive
def test_due__holdback_released__is_named_no_longer(going: SimpleNamespace, engine: Engine) -> None:
    market: Market = going.market
    done = str(going.jobs["finished"])
    assert done in named(going.api, before=FAR)
    market.pass_time(25 * HOUR)
    market.act(market.release_holdback(going.jobs["finished"]))
    ingest(market.transactions(), engine)
    assert done not in named(going.api, before=FAR)
    assert going.api.get(f"/api/jobs/{done}").json()["contest_by"] is None
