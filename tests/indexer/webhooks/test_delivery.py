"""Attempts: which answers end, delay or repeat them, and by whom they are signed. Invariant IDX-8."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, select, update

from anchor_client.service.name_lookup import NameLookup
from indexer.accounts import deliveries
from indexer.accounts.deliveries import FAILING_SECONDS, JITTER, RETRY_SECONDS, DeliveryOutcome, Waiting
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.accounts.webhooks import new_signing_secret
from indexer.api.webhooks.kinds import TEST, Kind
from indexer.api.webhooks.sending import attempt
from indexer.store.database import writing
from tests.indexer.databases import in_time, on_both_databases
from tests.indexer.webhooks.conftest import Add
from tests.indexer.webhooks.receiver import Receiver, documented_receiver
from tests.markets.recorded import Market
from tests.processes.ports import free_ports


class Endpoint:
    """An endpoint by its API."""

    def __init__(self, api: TestClient, headers: dict[str, str], id: str) -> None:
        self._api, self._headers, self.path = api, headers, f"/api/webhooks/{id}"

    def ask(self, method: str, path: str = "", **more: Any) -> Any:
        answer = self._api.request(method, self.path + path, headers=self._headers, **more)
        assert answer.is_success, answer.text
        return answer.json()

    def once(self, **wanted: Any) -> dict[str, Any]:
        """The newest delivery once it has these values."""
        for trial in in_time:
            with trial:
                found: dict[str, Any] = self.ask("GET", "/deliveries")["deliveries"][0]
                assert wanted.items() <= found.items()
        return found


@pytest.fixture
def endpoint(api: TestClient, headers: dict[str, str], add: Add) -> Endpoint:
    return Endpoint(api, headers, add()["id"])


@on_both_databases
def test_attempt__taken__is_delivered(endpoint: Endpoint, receiver: Receiver) -> None:
    made = endpoint.ask("POST", "/test")
    taken = receiver.take(TEST)
    assert taken.id == made["id"] and taken.path == "/notices"
    done = endpoint.once(status="delivered")
    assert (done["attempts"], done["response"], done["error"], done["next_at"]) == (1, 204, None, None)
    assert endpoint.ask("GET", f"/deliveries/{made['id']}")["body"].startswith('{"type":"webhook.test"')


@pytest.mark.parametrize(
    ("answered", "saying", "least", "most"),
    [
        (500, {}, RETRY_SECONDS[0] * (1 - JITTER), RETRY_SECONDS[0] * (1 + JITTER)),
        (429, {"Retry-After": "700"}, 700, 700),
        (302, {"Location": "http://127.0.0.1:1/"}, RETRY_SECONDS[0] * (1 - JITTER), RETRY_SECONDS[0] * (1 + JITTER)),
    ],
)
def test_attempt__not_taken__waits(
    endpoint: Endpoint, receiver: Receiver, answered: int, saying: dict[str, str], least: float, most: float
) -> None:
    receiver.answers.append((answered, saying))
    endpoint.ask("POST", "/test")
    receiver.take(TEST)
    waits = endpoint.once(status="waiting", attempts=1)
    assert waits["response"] == answered and str(answered) in waits["error"]
    assert least - 1 <= waits["next_at"] - waits["last_at"] <= most + 1
    assert receiver.is_empty and endpoint.ask("GET")["failing_since"] is not None


def test_attempt__answered_410__disables_until_it_is_enabled(endpoint: Endpoint, receiver: Receiver) -> None:
    receiver.answers.append((410, {}))
    endpoint.ask("POST", "/test")
    first = receiver.take(TEST)
    assert endpoint.once(status="failed")["response"] == 410
    told = endpoint.ask("GET")
    assert not told["enabled"] and "410" in told["disabled_reason"]
    assert endpoint.ask("PATCH", json={"enabled": True})["enabled"]
    assert endpoint.ask("POST", f"/deliveries/{first.id}/replay") == {"replayed": 1}
    assert receiver.take(TEST).id == first.id
    endpoint.once(status="delivered", attempts=2)


def test_disabled__while_things_happen__goes_on_where_it_was(
    market: Market, job: Pubkey, endpoint: Endpoint, receiver: Receiver, take_in: Callable[[], None]
) -> None:
    endpoint.ask("PATCH", json={"enabled": False, "topics": [f"job:{job}"], "types": [Kind.JOB_ENDED]})
    market.act(market.stop_rental(job))
    take_in()
    assert endpoint.ask("GET", "/deliveries")["deliveries"] == []
    endpoint.ask("PATCH", json={"enabled": True})
    receiver.take(Kind.JOB_ENDED)


def test_secret__rotated__both_sign_for_a_day(endpoint: Endpoint, receiver: Receiver, engine: Engine) -> None:
    new = endpoint.ask("POST", "/secret")["secret"]
    receiver.secrets.append(new)
    endpoint.ask("POST", "/test")
    assert receiver.take(TEST).signed_by == receiver.secrets
    endpoint.once(status="delivered")
    with writing(engine) as connection:
        connection.execute(update(Webhook.table).values(old_secret_until=int(time.time())))
    endpoint.ask("POST", "/test")
    assert receiver.take(TEST).signed_by == [new]


def test_replay__since_a_moment__sends_the_same_again(endpoint: Endpoint, receiver: Receiver) -> None:
    made, first = [], []
    for _ in range(2):
        made.append(endpoint.ask("POST", "/test"))
        first.append(receiver.take(TEST))
        endpoint.once(id=made[-1]["id"], status="delivered")
    assert endpoint.ask("POST", "/replay", json={"since": made[0]["created_at"], "failed_only": True})["replayed"] == 0
    assert endpoint.ask("POST", "/replay", json={"since": made[0]["created_at"]}) == {"replayed": 2}
    again = [receiver.take(TEST) for _ in made]
    assert [(each.id, each.document) for each in again] == [(each.id, each.document) for each in first]


def test_endpoints__one_that_fails__does_not_hold_up_others(
    api: TestClient, add: Add, headers: dict[str, str], endpoint: Endpoint, receiver: Receiver, engine: Engine
) -> None:
    endpoint.ask("PATCH", json={"url": "http://127.0.0.1:1/closed"})
    endpoint.ask("POST", "/test")
    other = Endpoint(api, headers, add()["id"])
    other.ask("POST", "/test")
    assert receiver.take(TEST).signed_by == receiver.secrets[1:]
    assert endpoint.once(attempts=1)["error"] == "it cannot be reached"


def outcome(error: str | None = "it does not answer in time") -> DeliveryOutcome:
    return DeliveryOutcome("msg_1", "endpoint", None, error)


def test_retries__all_fail__end_after_about_a_day(known: Engine) -> None:
    now, tries = -1, 0
    with writing(known) as connection:
        while (at := deliveries.next_at(connection, now)) is not None:
            now, tries = at, tries + 1
            deliveries.record(connection, [outcome()], now)
        [status] = connection.execute(select(WebhookDelivery.c.status)).scalars()
    assert (status, tries) == ("failed", len(RETRY_SECONDS) + 1) and 86_400 <= now <= 2 * 86_400


@pytest.mark.parametrize(("seconds", "is_disabled"), [(FAILING_SECONDS - 1, False), (FAILING_SECONDS, True)])
def test_failing__for_days__disables(known: Engine, seconds: int, is_disabled: bool) -> None:
    with writing(known) as connection:
        assert deliveries.record(connection, [outcome()], 1_000) == []
        disabled = deliveries.record(connection, [outcome()], 1_000 + seconds)
        assert [each.id for each in disabled] == ["endpoint"] * is_disabled
        assert (deliveries.next_at(connection, 0) is None) == is_disabled


def test_failing__one_taken_in_between__begins_anew(known: Engine) -> None:
    with writing(known) as connection:
        for error, at in ((outcome(), 1_000), (outcome(None), 2_000), (outcome(), 1_000 + FAILING_SECONDS)):
            assert deliveries.record(connection, [error], at) == []


async def test_documentation__its_receiver__takes_what_is_signed_and_nothing_else() -> None:
    secret, port = new_signing_secret(), free_ports()
    process = await documented_receiver(secret, port)
    try:
        assert process.stdout is not None
        for signed_with, error in ((new_signing_secret(), "HTTP status 401"), (secret, None)):
            body = '{"type":"webhook.test","data":{}}'
            waiting = Waiting("msg_1", TEST, body, 0, "e", f"http://127.0.0.1:{port}/", (signed_with,))
            outcome = await attempt(waiting, NameLookup(), private=True)
            assert outcome.error is None if error is None else error in (outcome.error or "")
        assert (await process.stdout.readline()).split() == [b"msg_1", b"webhook.test", b"None"]
    finally:
        process.kill()
        await process.wait()


@on_both_databases
def test_prune__more_old_notices_than_one_call_deletes__goes_on_until_none_is_left(
    api: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "PRUNED", 2)
    now = deliveries.KEPT_SECONDS + 10
    made = [(1, "delivered"), (2, "waiting"), (3, "failed"), (4, "delivered"), (20, "delivered")]
    rows = [
        vars(
            WebhookDelivery(
                id=str(at), number=at, endpoint="e", type=TEST, body="", made_at=at, status=status, next_at=2**40
            )
        )
        for at, status in made
    ]
    with writing(engine) as connection:
        connection.execute(insert(WebhookDelivery.table), rows)
    more = []
    for _ in range(2):
        with writing(engine) as connection:
            more.append(deliveries.prune(connection, now))
    with engine.connect() as connection:
        kept = set(connection.execute(select(WebhookDelivery.c.made_at)).scalars())
    assert (more, kept) == ([True, False], {2, 20})
