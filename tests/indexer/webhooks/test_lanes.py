"""Endpoints that do not answer keep only each other waiting. Invariant IDX-10."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine, select, update

from anchor_client.service import name_lookup
from indexer.accounts import deliveries
from indexer.accounts.deliveries import DEMOTED_SECONDS, QUICK_SECONDS, DeliveryOutcome, Due, Waiting
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.api.main import create_app
from indexer.api.webhooks import delivering, sending
from indexer.api.webhooks.kinds import TEST
from indexer.api.webhooks.lanes import SLOW_PART, Lanes
from indexer.api.webhooks.notices import notice
from indexer.store.database import writing
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.databases import in_time
from tests.indexer.webhooks.conftest import SETTINGS, Add, Clock
from tests.indexer.webhooks.receiver import Receiver
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE

SILENT = "http://127.0.0.1:1/silent"
WALLETS, ENDPOINTS = 10, 10
SENDERS = 32
HONEST = "198.51.100.7"


@pytest.fixture
def api(
    market: Market,
    job: Pubkey,
    engine: Engine,
    take_in: Callable[[], None],
    status: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[TestClient]:
    """API whose senders never hear of silent endpoints, however long they wait."""
    take_in()

    async def attempt(waiting: Waiting, *given: Any, **named: Any) -> DeliveryOutcome:
        if waiting.url == SILENT:
            await asyncio.Event().wait()
        return await sending.attempt(waiting, *given, **named)

    monkeypatch.setattr(delivering, "attempt", attempt)
    monkeypatch.setattr(deliveries, "QUICK_SECONDS", PATIENCE)
    app = create_app(
        replace(SETTINGS, requests_per_client=1_000.0, requests_per_wallet=1_000.0), engine=engine, status=status
    )
    with TestClient(app) as client:
        yield client


def test_silent__hundred_endpoints_of_ten_wallets__keep_no_other_waiting(
    api: TestClient, add: Add, headers: dict[str, str], receiver: Receiver, engine: Engine
) -> None:
    honest = f"/api/webhooks/{add()['id']}/test"
    api.post(honest, headers=headers)
    receiver.take(TEST)
    for attempt in in_time:
        with attempt, engine.connect() as connection:
            assert connection.execute(select(Webhook.c.is_quick)).scalar_one()
    for _ in range(WALLETS):
        stranger = bearer(sign_in(api, Keypair()))
        for _ in range(ENDPOINTS):
            made = api.post("/api/webhooks", json={"url": SILENT}, headers=stranger).json()
            api.post(f"/api/webhooks/{made['id']}/test", headers=stranger)
    for _ in range(3):
        id = api.post(honest, headers=headers).json()["id"]
        assert receiver.take(TEST).id == id
        for attempt in in_time:
            with attempt, engine.connect() as connection:
                done = select(WebhookDelivery.c.status).where(WebhookDelivery.c.id == id)
                assert connection.execute(done).scalar_one() == "delivered"


def test_names__that_nobody_resolves__hold_their_sender_until_the_lookup_ends(
    api: TestClient,
    add: Add,
    headers: dict[str, str],
    receiver: Receiver,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, begun = threading.Event(), list[str]()

    def places(host: str, port: int) -> list[str]:
        if host == "127.0.0.1":
            return [host]
        begun.append(host)
        release.wait(PATIENCE)
        raise OSError

    def tried() -> int:
        with engine.connect() as connection:
            failed = (WebhookDelivery.c.tries > 0) & (WebhookDelivery.c.status != "delivered")
            return len([*connection.execute(select(WebhookDelivery.c.id).where(failed))])

    honest = f"/api/webhooks/{add()['id']}/test"
    api.post(honest, headers=headers)
    receiver.take(TEST)
    for attempt in in_time:
        with attempt, engine.connect() as connection:
            assert connection.execute(select(Webhook.c.is_quick)).scalar_one()
    owner, stranger = headers, bearer(sign_in(api, Keypair()))
    monkeypatch.setattr(name_lookup, "_places", places)
    monkeypatch.setattr(sending, "ATTEMPT_SECONDS", 0.01)
    for number in range(ENDPOINTS):
        made = api.post("/api/webhooks", json={"url": f"http://{number}.example/"}, headers=stranger).json()
        api.post(f"/api/webhooks/{made['id']}/test", headers=stranger)
    for attempt in in_time:
        with attempt:
            assert tried() == SENDERS // SLOW_PART
    monkeypatch.setattr(sending, "ATTEMPT_SECONDS", PATIENCE)
    api.post(honest, headers=owner)
    receiver.take(TEST)
    assert len(begun) <= SENDERS // SLOW_PART
    release.set()
    for attempt in in_time:
        with attempt:
            assert tried() == ENDPOINTS


def test_test__asked_for_again_and_again__two_wait_since_one_may_be_on_its_way(
    api: TestClient, headers: dict[str, str], engine: Engine
) -> None:
    made = api.post("/api/webhooks", json={"url": SILENT}, headers=headers).json()
    asked = {api.post(f"/api/webhooks/{made['id']}/test", headers=headers).json()["id"] for _ in range(5)}
    with engine.connect() as connection:
        assert {*connection.execute(select(WebhookDelivery.c.id)).scalars()} == asked and len(asked) == 2


def due(count: int, origin: str, *, is_quick: bool) -> list[Due]:
    return [Due(f"{origin} {number} {is_quick}", origin, is_quick) for number in range(count)]


def test_lanes__many_of_one_network__leave_the_half_to_others() -> None:
    lanes = Lanes(SENDERS)
    strangers = [due(9, f"203.0.113.{host}", is_quick=is_quick) for host in range(9) for is_quick in (False, True)]
    chosen = lanes.choose([each for group in strangers for each in group])
    assert len(chosen) == SENDERS // 2
    assert len(lanes.choose(due(1, HONEST, is_quick=False))) == len(lanes.choose(due(1, HONEST, is_quick=True))) == 1


def test_lanes__slow_ones__take_no_quick_sender() -> None:
    lanes = Lanes(SENDERS)
    slow = [each for host in range(40) for each in due(9, f"10.{host}.0.1", is_quick=False)]
    assert len(lanes.choose(slow)) == SENDERS // 4
    quick = due(SENDERS, "", is_quick=True)
    assert [each.endpoint for each in quick][: SENDERS * 3 // 4] == lanes.choose(quick)


def test_lanes__given_back__serve_the_next() -> None:
    lanes = Lanes(2)
    one, other = due(2, "", is_quick=False)
    assert lanes.choose([one, other]) == [one.endpoint] and lanes.choose([one, other]) == []
    lanes.give_back(one.endpoint)
    assert lanes.choose([other]) == [other.endpoint]


def outcome(**told: Any) -> DeliveryOutcome:
    return DeliveryOutcome("msg_1", "endpoint", **{"response": 204, "error": None, "seconds": 0.0} | told)


@pytest.mark.parametrize(
    ("told", "is_quick"),
    [
        ({"seconds": QUICK_SECONDS}, True),
        ({"seconds": QUICK_SECONDS + 0.001}, False),
        ({"response": 500, "error": "it answers with HTTP status 500"}, True),
        ({"response": None, "error": "it cannot be reached"}, False),
    ],
)
def test_endpoint__answered__is_quick_if_it_was_within_a_second(
    known: Engine, told: dict[str, Any], is_quick: bool
) -> None:
    with writing(known) as connection:
        deliveries.record(connection, [outcome(**told)], 1_000)
        assert connection.execute(select(Webhook.c.is_quick)).scalar_one() is is_quick


def test_endpoint__cut_among_the_quick__is_slow_for_a_minute_and_its_notice_not_counted(known: Engine) -> None:
    with writing(known) as connection:
        connection.execute(update(Webhook.table).values(is_quick=True))
        deliveries.record(connection, [outcome(response=None, error="late", is_cut=True)], 1_000)
        assert deliveries.due(connection, 1_000, ()) == [Due("endpoint", "", False)]
        [waiting] = deliveries.take(connection, 1_000, ["endpoint"])
        assert waiting.id == "msg_1" and not waiting.is_quick
        for at, is_quick in ((999 + DEMOTED_SECONDS, False), (1_000 + DEMOTED_SECONDS, True)):
            deliveries.record(connection, [outcome()], at)
            assert connection.execute(select(Webhook.c.is_quick)).scalar_one() is is_quick
        assert connection.execute(select(WebhookDelivery.c.tries)).scalar_one() == 2


def test_due__many_notices_of_one_endpoint__take_turns_with_others(known: Engine) -> None:
    values: dict[str, Any] = {"wallet": "w", "url": "u", "types": "", "topics": "", "low_funds": "", "secret": "s"}
    with writing(known) as connection:
        other = Webhook(id="other", created_at=0, since=0, index_id="", number=0, **values)
        connection.execute(Webhook.table.insert().values(vars(other)))
        deliveries.note(connection, [notice("endpoint", TEST, f"msg_{number}", "{}", 0) for number in range(2, 9)])
        deliveries.note(connection, [notice("other", TEST, "msg_9", "{}", 0)])
        deliveries.record(connection, [outcome()], 1_000)
        assert [each.endpoint for each in deliveries.due(connection, 1_000, ())] == ["other", "endpoint"]


async def test_attempt__quick_endpoint_that_does_not_answer__is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "QUICK_SECONDS", 0.01)
    waiting = Waiting("msg_1", TEST, "{}", 0, "e", SILENT, ("whsec_AAAA",), is_quick=True)

    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    assert (await sending.attempt(waiting, never, private=True)).is_cut
