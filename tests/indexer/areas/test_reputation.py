"""A host's score recomputed from raw events alone, and what the API says about it. Invariant HST-3."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from sqlalchemy import Engine, select

from anchor_client.generated import accounts, events, instructions
from anchor_client.generated.constants import USD
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types import CloseReason, MarketParameter, RentalIssue
from anchor_client.rules.rental import HOST_FAULTS
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Host, HostScore, Listing, RawEvent, Rental, Renter, SeqGap
from indexer.models import RentalIssue as RentalIssueRow
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import spec_with
from tests.program.harness.actors import HOST, USDC
from tests.program.harness.changes import set_parameter
from tests.program.harness.flows import opened, running
from tests.program.harness.terms import HOUR

DAY = 86_400


@dataclass
class Machine:
    """Figures of one listing, known to a reader of events."""

    tracked: int = 0
    up: int = 0
    rating_sum: int = 0
    rating_weight: int = 0
    completed: int = 0
    failed: int = 0


@dataclass
class Reader:
    """Reads what HST-3 names, and nothing that says what was counted or scored."""

    machines: dict[str, Machine] = field(default_factory=lambda: defaultdict(Machine))
    paid_usd: dict[str, int] = field(default_factory=dict)
    """Micro-USD that the renter of each rental has paid themselves so far."""
    reported_usd: int = 0
    """Total weight of reports of machines that were not as listed."""
    prior_usd: int = 1_000 * USD

    def read(self, event: object) -> None:
        match event:
            case events.HostHeartbeat():
                for beat in event.listings:
                    machine = self.machines[str(find_listing(event.host, beat.id)[0])]
                    machine.tracked, machine.up = beat.tracked_seconds, beat.up_seconds
            case events.ListingUpdated() | events.ListingClosed():
                machine = self.machines[str(event.listing)]
                machine.tracked, machine.up = event.tracked_seconds, event.up_seconds
            case events.MarketUpdated(parameter=MarketParameter.REPUTATION_PRIOR_USD):
                self.prior_usd = event.new
            case events.RentalSettled():
                self.paid_usd[str(event.rental)] = event.paid_usd
            case events.IssueReported():
                self.reported_usd += event.weight
            case events.RentalRated():
                machine = self.machines[str(event.listing)]
                machine.rating_sum += event.rating * event.weight
                machine.rating_weight += event.weight
            case events.RentalClosed():
                machine = self.machines[str(event.listing)]
                machine.failed += event.reason in HOST_FAULTS
                machine.completed += event.completed
                self.paid_usd[str(event.rental)] = event.paid_usd

    def score(self) -> int:
        """60 % uptime, 25 % ratings, 15 % completed rentals, in basis points, each by what was paid for it."""

        def total(name: str) -> int:
            return sum(getattr(machine, name) for machine in self.machines.values())

        def share(part: int, whole: int) -> int:
            return part * 10_000 // whole if whole else 5_000

        def part(share: int, paid: int, against: int = 0) -> int:
            return (share * paid + 5_000 * self.prior_usd) // (paid + against + self.prior_usd)

        paid = sum(self.paid_usd.values())
        uptime = part(share(total("up"), total("tracked")), paid)
        ratings = share(total("rating_sum") - total("rating_weight"), 4 * total("rating_weight"))
        rating = part(ratings, total("rating_weight"))
        completion = part(share(total("completed"), total("completed") + total("failed")), paid, self.reported_usd)
        return (60 * uptime + 25 * rating + 15 * completion) // 100


def _show(listing: Pubkey, *, visible: bool) -> Instruction:
    return instructions.update_listing(authority=HOST, listing=listing, spec=spec_with(visible=visible))


@pytest.fixture
def seeded(market: Market) -> SimpleNamespace:
    """A host scored three times: new, after a good day, and after a bad one with a machine gone.

    One rental of the good day was stopped too early to count.
    """
    renter, machines = market.renter(), [market.list_machine() for _ in range(3)]
    market.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, 5 * USD))
    market.act(market.update_reputation(HOST, *market.listings))
    brief = running(market, renter, listing=machines[2])
    market.pass_time(300)
    market.act(market.stop_rental(brief))
    good = running(market, renter, listing=machines[0], mint=USDC)
    subsidised = running(market, renter, listing=machines[1])
    market.pass_time(HOUR)
    market.act(market.rate_rental(good, 5))
    market.act(market.rate_rental(subsidised, 4))
    market.act(market.settle_rental(subsidised))
    market.act(market.finalize_rental(good))
    market.act(market.finalize_rental(subsidised))
    for visible in (False, True):
        market.act(_show(machines[1], visible=visible))
        market.wait(HOUR)
    market.act(market.update_reputation(HOST, *market.listings))
    market.pass_time(DAY // 40)
    market.wait(DAY)
    market.beat()
    market.act(market.update_reputation(HOST, *market.listings))
    bad = running(market, renter, listing=machines[2])
    market.pass_time(700)
    market.act(market.rate_rental(bad, 1))
    market.act(market.report_issue(bad, RentalIssue.NOT_AS_LISTED))
    market.act(market.report_issue(bad, RentalIssue.SLOW))
    market.act(market.cancel_rental(bad, CloseReason.HOST_FAULT))
    market.act(market.close_listing(machines[2]))
    market.wait(DAY)
    market.beat()
    market.act(market.update_reputation(HOST, *market.listings))
    return SimpleNamespace(market=market, machines=machines, good=good, bad=bad)


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


def test_score__from_raw_events_alone__is_what_the_chain_says_each_time(
    seeded: SimpleNamespace, engine: Engine
) -> None:
    market: Market = seeded.market
    ingest(market.transactions(), engine)
    reader, found = Reader(), []
    order = (RawEvent.c.slot, RawEvent.c.transaction_index, RawEvent.c.instruction_index, RawEvent.c.inner_index)
    with engine.connect() as connection:
        for row in connection.execute(select(RawEvent.c.data).order_by(*order)):
            event = events.decode_event(bytes(row.data))
            reader.read(event)
            if isinstance(event, events.HostScored):
                found.append(event.new)
                assert event.new == reader.score()
    assert len(found) == 3 and len(set(found)) == 3
    host = market.host()
    assert (host.score, host.score_round) == (found[-1], 3)


def test_ingest__counts_and_scores__equal_the_chain(seeded: SimpleNamespace, engine: Engine) -> None:
    market: Market = seeded.market
    result = ingest(market.transactions(), engine)
    assert (result.dead_letters, result.gaps) == (0, {}) and rows_of(engine, SeqGap) == []
    row, account = only(engine, Host), market.host()
    counters = ("rating_sum", "rating_weight", "paid_usd", "completed", "failed", "not_as_listed_usd")
    for name in ("seq", "score_round", *counters):
        assert getattr(row, name) == getattr(account, name), name
    assert row.not_as_listed_usd == only(engine, Renter).reported_usd > 0
    assert (row.tracked_seconds, row.up_seconds) == (account.tracked_seconds, account.up_seconds)
    assert row.paid_usd == sum(each.paid_usd for each in rows_of(engine, Rental)) > 0
    assert row.score_bps == account.score
    assert [score.round for score in rows_of(engine, HostScore)] == [1, 2, 3]
    assert rows_of(engine, HostScore)[-1].score_bps == account.score
    for listing in rows_of(engine, Listing):
        if not listing.closed_at:
            state = market.read(accounts.Listing, find_listing(find_host(HOST)[0], listing.number)[0])
            assert (listing.seq, state.rating_sum, state.completed) == (state.seq, 0, 0)
    lifetimes = [(listing.completed, listing.failed) for listing in rows_of(engine, Listing)]
    assert sorted(lifetimes) == [(0, 0), (0, 1), (1, 0), (1, 0)]
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_host__scored__says_what_the_score_is_made_of(api: TestClient, seeded: SimpleNamespace) -> None:
    market: Market = seeded.market
    account = market.host()
    host = api.get(f"/api/hosts/{HOST}").json()
    assert (host["id"], host["score_bps"], host["scored_at"]) == (
        str(find_host(HOST)[0]),
        account.score,
        account.scored_at,
    )
    inputs = host["score_inputs"]
    assert inputs == host["counted"]
    paid, prior = inputs["paid_usd"], inputs["prior_usd"]
    assert (paid, prior) == (account.paid_usd, 5 * USD) and paid > inputs["rating_weight_usd"] > 0
    parts = tuple(
        (inputs[f"{name}_bps"] * weight + 5_000 * prior) // (weight + against + prior)
        for name, weight, against in (
            ("uptime", paid, 0),
            ("rating", inputs["rating_weight_usd"], 0),
            ("completion", paid, inputs["not_as_listed_usd"]),
        )
    )
    assert inputs["not_as_listed_usd"] == account.not_as_listed_usd > 0
    assert parts == (inputs["uptime_part_bps"], inputs["rating_part_bps"], inputs["completion_part_bps"])
    assert sum(part * share for part, share in zip(parts, (60, 25, 15), strict=True)) // 100 == account.score
    assert (inputs["rentals_completed"], inputs["rentals_failed"], host["open_listings"]) == (2, 1, 3)
    assert 1 < float(inputs["rating"]) < 5


def test_hosts__page__best_first_and_listings_show_the_score(api: TestClient, seeded: SimpleNamespace) -> None:
    page = api.get("/api/hosts").json()
    assert [host["authority"] for host in page["hosts"]] == [str(HOST)]
    assert page["next_cursor"] is None
    scores = {listing["host_score_bps"] for listing in api.get("/api/marketplace/listings").json()["listings"]}
    assert scores == {page["hosts"][0]["score_bps"]}


def test_hosts__cursor__gives_each_host_once_the_unscored_last(engine: Engine) -> None:
    rows = [
        Host(
            address=f"{name:1<44}", authority=f"{name:2<44}", seal_key="0" * 64, registered_at=1, score_bps=score, seq=1
        )
        for name, score in (("a", 5_000), ("b", None), ("c", 9_000), ("d", 5_000), ("e", 0), ("f", None))
    ]
    with engine.begin() as connection:
        for row in rows:
            values = {column.key: getattr(row, column.key) for column in Host.c}
            connection.execute(Host.table.insert().values(**values))
    found: list[str] = []
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        cursor: str | None = ""
        while cursor is not None:
            page = api.get("/api/hosts", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
            found += [host["id"][0] for host in page["hosts"]]
            cursor = page["next_cursor"]
    assert found == ["c", "a", "d", "e", "b", "f"]


def test_hosts__of_an_account__are_its_host_or_none(api: TestClient, seeded: SimpleNamespace) -> None:
    [host] = api.get("/api/hosts", params={"account": str(find_host(HOST)[0])}).json()["hosts"]
    assert host == api.get(f"/api/hosts/{HOST}").json()
    assert api.get("/api/hosts", params={"account": str(HOST)}).json() == {"hosts": [], "next_cursor": None}


def test_host__unknown__is_not_found_with_a_remedy(api: TestClient) -> None:
    answer = api.get("/api/hosts/So11111111111111111111111111111111111111112")
    assert (answer.status_code, answer.json()["error"]) == (404, "host_not_found")


def test_job__issues_reported__are_told_and_counted_on_the_listing(api: TestClient, seeded: SimpleNamespace) -> None:
    issues = api.get(f"/api/jobs/{seeded.bad}").json()["issues"]
    weight = seeded.market.host().not_as_listed_usd
    assert [(item["issue"], item["weight_usd"]) for item in issues] == [("not-as-listed", weight), ("slow", 0)]
    assert api.get(f"/api/jobs/{seeded.bad}").json()["not_as_listed"]
    assert not api.get(f"/api/jobs/{seeded.good}").json()["not_as_listed"]
    assert all(item["ts"] > 0 and item["tx"] for item in issues)
    assert api.get(f"/api/jobs/{seeded.good}").json()["issues"] == []


def test_listings__issues__are_counted(market: Market, engine: Engine) -> None:
    renter, machine = market.renter(), market.list_machine()
    rental = opened(market, renter, listing=machine)
    market.act(market.report_issue(rental, RentalIssue.UNREACHABLE))
    ingest(market.transactions(), engine)
    counted = {row.address: row.issues for row in rows_of(engine, Listing)}
    assert counted[str(machine)] == 1 and sum(counted.values()) == 1
    assert only(engine, RentalIssueRow).issue == "unreachable"
