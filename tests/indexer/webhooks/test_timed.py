"""Notices that come of time: to the second, once for each threshold, and again when that moves. Invariant IDX-8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from indexer.accounts import deliveries, webhooks
from indexer.accounts.models import Webhook
from indexer.api.feed.relations import Relations
from indexer.api.webhooks import timed
from indexer.api.webhooks.audience import Audience, NoticeEndpoint
from indexer.api.webhooks.kinds import TEST, Kind
from indexer.api.webhooks.timed import Timed
from indexer.store.database import writing
from tests.indexer.webhooks.conftest import Add, Clock
from tests.indexer.webhooks.receiver import Receiver
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST
from tests.program.harness.terms import HOUR


class Looker:
    """Notices to an endpoint by the time that the API has looked at a second of the chain."""

    def __init__(self, api: TestClient, headers: dict[str, str], receiver: Receiver, status: Clock, id: str) -> None:
        self._api, self._headers, self._receiver, self._status = api, headers, receiver, status
        self._path = f"/api/webhooks/{id}"

    def told_at(self, second: int) -> list[str]:
        """The types of all notices but tests: a round that sends one has looked before."""
        self._status.at = second
        # The round that sends the first may have looked before that second; the one that sends the next began after it.
        for _ in range(2):
            assert self._api.post(f"{self._path}/test", headers=self._headers).status_code == 202
            self._receiver.await_type(TEST)
        page = self._api.get(f"{self._path}/deliveries", headers=self._headers).json()
        return [each["type"] for each in page["deliveries"] if each["type"] != TEST]


@pytest.fixture
def look(
    api: TestClient, headers: dict[str, str], receiver: Receiver, status: Clock, add: Add
) -> Callable[..., Looker]:
    return lambda **asked: Looker(api, headers, receiver, status, add(**asked)["id"])


def paid_until(api: TestClient, job: Pubkey) -> tuple[int, int]:
    """And the seconds that were paid for."""
    found: dict[str, Any] = api.get(f"/api/jobs/{job}").json()
    return found["paid_until"], found["duration"]


@pytest.mark.parametrize("threshold", ["600s", "10%"])
def test_low_funds__at_the_threshold__comes_to_the_second_and_once(
    api: TestClient, job: Pubkey, look: Callable[..., Looker], threshold: str
) -> None:
    until, duration = paid_until(api, job)
    left = 600 if threshold == "600s" else duration // 10
    looker = look(topics=[f"job:{job}"], types=[Kind.JOB_LOW_FUNDS], low_funds=[threshold])
    assert looker.told_at(until - left - 1) == []
    assert looker.told_at(until - left) == [Kind.JOB_LOW_FUNDS]
    assert looker.told_at(until - left + 1) == [Kind.JOB_LOW_FUNDS]


def test_low_funds__after_an_extension__come_again_under_another_id(
    market: Market,
    api: TestClient,
    job: Pubkey,
    add: Add,
    receiver: Receiver,
    status: Clock,
    take_in: Callable[[], None],
) -> None:
    add(topics=[f"job:{job}"], types=[Kind.JOB_LOW_FUNDS], low_funds=["600s"])
    until, _ = paid_until(api, job)
    status.at = until - 60
    take_in()
    first = receiver.take(Kind.JOB_LOW_FUNDS)
    assert (first.data["left"], first.data["threshold"], first.data["paid_until"]) == (600, "600s", until)
    market.act(market.extend_rental(job, HOUR))
    status.at = until + HOUR - 600
    take_in()
    again = receiver.take(Kind.JOB_LOW_FUNDS)
    assert again.id != first.id and again.data["paid_until"] == until + HOUR


def test_low_funds__process_that_knows_of_none__makes_them_under_the_same_id(
    api: TestClient,
    job: Pubkey,
    add: Add,
    receiver: Receiver,
    status: Clock,
    take_in: Callable[[], None],
    engine: Engine,
) -> None:
    add(topics=[f"job:{job}"], types=[Kind.JOB_LOW_FUNDS])
    status.at = paid_until(api, job)[0] - 1
    take_in()
    told = receiver.take(Kind.JOB_LOW_FUNDS)
    with writing(engine) as connection:
        [again] = Timed().look(connection, audience_of(webhooks.enabled(connection)), status, 0).notices
        assert again.id == told.id and deliveries.note(connection, [again]) == []


def test_host_offline__not_heard_from_in_time__comes_to_the_second(
    market: Market, job: Pubkey, look: Callable[..., Looker]
) -> None:
    heard, patience = market.listing(market.listings[0]).last_heartbeat_at, market.rental(job).offline_after
    looker = look(topics=[f"job:{job}"], types=[Kind.HOST_OFFLINE])
    assert looker.told_at(heard + patience) == []
    assert looker.told_at(heard + patience + 1) == [Kind.HOST_OFFLINE]


@pytest.mark.parametrize("most", [timed.MOST_NAMED, 0])
def test_look__jobs_of_others__are_left_and_those_of_any_party_told(
    market: Market, api: TestClient, engine: Engine, status: Clock, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Found by the database, and by reading all."""
    monkeypatch.setattr(timed, "MOST_NAMED", most)
    [job] = api.get("/api/jobs").json()["jobs"]
    status.at = job["paid_until"] - 1
    renters, hosts = {Kind.JOB_LOW_FUNDS, Kind.HOST_OFFLINE}, {Kind.HOST_OFFLINE}
    for topic, told in (
        (f"job:{job['id']}", renters),
        (f"wallet:{job['renter']}", renters),
        (f"listing:{job['listing']}", hosts),
        (f"spot:{job['listing']}", hosts),
        (f"host:{HOST}", hosts),
        (f"wallet:{HOST}", hosts),
        (f"wallet:{market.wallet()}", set()),
    ):
        assert told_of(engine, status, topic) == told, topic


def told_of(engine: Engine, status: Clock, topic: str) -> set[str]:
    """The types of what an endpoint that follows a topic is told."""
    endpoint = Webhook(
        id=topic,
        number=0,
        since=0,
        wallet="",
        url="",
        topics=topic,
        types=f"{Kind.JOB_LOW_FUNDS} {Kind.HOST_OFFLINE}",
        low_funds="600s",
    )
    with writing(engine) as connection:
        return {each.type for each in Timed().look(connection, audience_of([endpoint]), status, 0).notices}


def audience_of(endpoints: Sequence[Webhook]) -> Audience:
    """All of them."""
    return Audience(Relations(), map(NoticeEndpoint.of, endpoints))
