"""Progress of a running job, against the program's figures for stopping it in that second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated.events import RentalClosed
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import CloseReason, RentalIssue, RentalKind
from anchor_client.rules.math import accrued_ceil
from indexer.api.main import create_app
from indexer.index.decode import decode
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.events import Decoded
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM, USDC
from tests.program.harness.flows import opened, pay_elsewhere, running
from tests.program.harness.terms import DAY, HOUR


class Told(Status):
    """Stands at a second of the chain."""

    at = slot = 0

    def now(self) -> int:
        return self.at

    @property
    def head_now(self) -> int:
        return self.slot


class Jobs:
    """Jobs as the API tells them, and as the chain ends them."""

    def __init__(self, market: Market, engine: Engine, api: TestClient, status: Told) -> None:
        self.market, self.engine, self.api, self.status = market, engine, api, status

    def index(self) -> None:
        """Brings the index up to date."""
        ingest(self.market.transactions(), self.engine)

    def ask(self, job: Pubkey, at: int | None = None) -> dict[str, Any]:
        """The API's answer about a job at a second; the list must agree."""
        self.status.at = self.market.now if at is None else at
        self.status.slot = self.market.node.clock.slot
        answer: dict[str, Any] = self.api.get(f"/api/jobs/{job}").json()
        [listed] = [each for each in self.api.get("/api/jobs").json()["jobs"] if each["id"] == str(job)]
        assert listed["progress"] == answer["progress"]
        return answer

    def stop(self, job: Pubkey) -> RentalClosed:
        """Stops it, which the index does not hear of yet; how the program has ended it."""
        self.index()
        self.market.act(self.market.stop_rental(job))
        outcomes = decode(self.market.transactions()[-1], str(PROGRAM_ID))
        events = [each.event for each in outcomes if isinstance(each, Decoded)]
        [closed] = [event for event in events if isinstance(event, RentalClosed)]
        return closed


@pytest.fixture
def jobs(market: Market, engine: Engine) -> Iterator[Jobs]:
    status = Told()
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as api:
        yield Jobs(market, engine, api, status)


def assert_told(jobs: Jobs, job: Pubkey, closed: RentalClosed) -> dict[str, Any]:
    """The API tells for the second in which the job was stopped what the program did; gives the answer."""
    answer = jobs.ask(job, closed.at)
    progress = answer["progress"]
    assert progress["as_of"] == closed.at
    assert (progress["refund_if_stopped"], progress["charged_if_stopped"]) == (str(closed.refunded), closed.charged)
    jobs.index()
    ended = jobs.ask(job, closed.at + 1)
    assert ended["progress"] is None and ended["refunded"] == progress["refund_if_stopped"]
    return answer


def test_job__reported_and_stopped_in_that_second__refunds_what_was_told(jobs: Jobs) -> None:
    market, renter = jobs.market, jobs.market.renter()
    pay_elsewhere(market, renter, listing=market.list_machine())
    job = running(market, renter, mint=USDC, duration=HOUR)
    market.act(market.report_issue(job, RentalIssue.NOT_AS_LISTED))
    closed = jobs.stop(job)
    assert closed.charged == closed.used < market.market().min_charge_seconds
    assert assert_told(jobs, job, closed)["not_as_listed"]


@pytest.mark.parametrize("seconds", [7, 61, 1_234, 3_570])
@pytest.mark.parametrize("mint", [GPUM, USDC], ids=["market-token", "other"])
def test_job__stopped_in_that_second__refunds_what_was_told(jobs: Jobs, mint: Pubkey, seconds: int) -> None:
    market = jobs.market
    job = running(market, market.renter(), mint=mint, duration=HOUR)
    started = market.rental(job).started_at
    market.pass_time(seconds - (market.now - started))
    if seconds > 1_000:
        market.act(market.settle_rental(job))
    closed = jobs.stop(job)
    answer = assert_told(jobs, job, closed)
    progress = answer["progress"]
    assert (progress["used"], progress["left"]) == (closed.used, HOUR - closed.used)
    assert int(progress["cost"]) == accrued_ceil(int(answer["rate"]), closed.used)


def test_job__reserved_one_stopped__gives_its_discount_back_as_told(jobs: Jobs) -> None:
    job = running(jobs.market, jobs.market.renter(), kind=RentalKind.RESERVED, duration=7 * DAY)
    jobs.market.pass_time(1_000)
    closed = jobs.stop(job)
    assert closed.charged > closed.used
    assert_told(jobs, job, closed)


@pytest.mark.parametrize("reason", [CloseReason.STOPPED, CloseReason.HOST_OFFLINE])
def test_job__on_a_machine_that_was_marked__is_told_as_the_program_ends_it(jobs: Jobs, reason: CloseReason) -> None:
    market = jobs.market
    job = running(market, market.renter(), duration=4 * HOUR)
    market.pass_time(600)
    market.wait(market.market().offline_after + 1)
    market.act(market.mark_silent())
    if reason is CloseReason.HOST_OFFLINE:
        market.wait(market.market().answer_window)
    closed = jobs.stop(job)
    assert closed.reason is reason
    assert_told(jobs, job, closed)


def test_job__past_its_paid_time__can_no_longer_be_stopped(jobs: Jobs) -> None:
    job = running(jobs.market, jobs.market.renter(), duration=600)
    jobs.market.pass_time(700)
    jobs.index()
    progress = jobs.ask(job)["progress"]
    assert (progress["used"], progress["left"], progress["refund_if_stopped"]) == (600, 0, None)


def test_job__asked_again_in_another_second__is_told_for_that(jobs: Jobs) -> None:
    job = running(jobs.market, jobs.market.renter())
    jobs.index()
    started = jobs.ask(job)["started_at"]
    assert [jobs.ask(job, started + second)["progress"]["used"] for second in (5, 6, 7)] == [5, 6, 7]


def test_job__not_running__has_no_progress(jobs: Jobs) -> None:
    job = opened(jobs.market, jobs.market.renter())
    jobs.index()
    assert jobs.ask(job)["progress"] is None
