"""All endpoints have one place in the stream of events; those behind it hold up nobody and lose nothing.

Invariant IDX-8.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from solders.pubkey import Pubkey
from sqlalchemy import Connection, Engine, select, update

from indexer.accounts import deliveries, notice_places, webhooks
from indexer.accounts.deliveries import DeliveryOutcome
from indexer.accounts.models import NoticePlace, Webhook, WebhookDelivery
from indexer.api.feed.relations import Relations
from indexer.api.webhooks import noting as noting_module
from indexer.api.webhooks.kinds import Kind
from indexer.api.webhooks.noting import Noting
from indexer.api.webhooks.roster import Roster
from indexer.status import Status
from indexer.store.database import writing
from indexer.store.intake import intake_of
from indexer.store.transactions import Reads, Writes
from tests.indexer.tables import only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.flows import opened

TakeIn = Callable[[], None]


@pytest.fixture
async def noting(engine: Engine, job: Pubkey, take_in: TakeIn) -> AsyncIterator[Noting]:
    """Over an index with a job that runs."""
    take_in()
    with Reads(engine) as reads, Writes(engine) as writes:
        yield Noting(reads, reads, writes, Status())


def endpoint(id: str, renter: Pubkey, **values: Any) -> Webhook:
    """One that follows a renter."""
    named = {"wallet": id, "url": "u", "low_funds": "", "secret": "s", "created_at": 0, "since": 0}
    types = f"{Kind.JOB_OPENED} {Kind.JOB_ENDED}"
    return Webhook(id=id, types=types, topics=f"wallet:{renter}", **named, **values)


def add(engine: Engine, made: Webhook, number: int | None = None) -> None:
    """Adds it as of the index's newest event, or an earlier one."""
    with writing(engine) as connection:
        intake = intake_of(connection)
        made.index_id, made.number = intake.id, intake.last if number is None else number
        webhooks.create(connection, made, 10)


def told(engine: Engine, id: str) -> list[str]:
    """The types of an endpoint's notices in their order."""
    notices = sorted(rows_of(engine, WebhookDelivery), key=lambda each: each.number)
    return [each.type for each in notices if each.endpoint == id]


def take_one(connection: Connection, id: str) -> None:
    """The endpoint takes the first notice that waits."""
    first = select(WebhookDelivery.c.id).where(WebhookDelivery.c.endpoint == id, WebhookDelivery.c.status == "waiting")
    found = connection.execute(first.order_by(WebhookDelivery.c.number)).scalars().first()
    assert found is not None
    deliveries.record(connection, [DeliveryOutcome(found, id, 204, None, seconds=100.0)], 0)


def rent_and_stop(market: Market, renter: Pubkey, times: int) -> None:
    for _ in range(times):
        market.act(market.cancel_rental(opened(market, renter, listing=market.list_machine())))


async def test_note__many_endpoints__have_one_place(
    market: Market, engine: Engine, take_in: TakeIn, noting: Noting
) -> None:
    renter = market.renter()
    for number in range(3):
        add(engine, endpoint(str(number), renter))
    await noting.note(0)
    before = [each.number for each in rows_of(engine, Webhook)]
    rent_and_stop(market, renter, 2)
    take_in()
    await noting.note(0)
    with engine.connect() as connection:
        assert only(engine, NoticePlace).number == intake_of(connection).last
    assert [each.number for each in rows_of(engine, Webhook)] == before
    assert all(told(engine, str(number)) == [Kind.JOB_OPENED, Kind.JOB_ENDED] * 2 for number in range(3))


async def test_note__endpoint_that_takes_none__falls_behind_and_loses_none(
    market: Market, engine: Engine, take_in: TakeIn, noting: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting_module, "PAGE", 3)
    renter = market.renter()
    for id in ("silent", "quick"):
        add(engine, endpoint(id, renter, is_quick=id == "quick"))
    await noting.note(0)
    with writing(engine) as connection:
        connection.execute(
            update(Webhook.table).where(Webhook.c.id == "silent").values(waiting=notice_places.MOST_WAITING_SLOW)
        )
    rent_and_stop(market, renter, 4)
    take_in()
    while await noting.note(0):
        pass
    assert told(engine, "quick") == [Kind.JOB_OPENED, Kind.JOB_ENDED] * 4
    assert told(engine, "silent") == []
    assert {each.id: each.is_behind for each in rows_of(engine, Webhook)} == {"silent": True, "quick": False}
    with writing(engine) as connection:
        connection.execute(update(Webhook.table).where(Webhook.c.id == "silent").values(waiting=0))
    while await noting.note(0):
        pass
    assert told(engine, "silent") == [Kind.JOB_OPENED, Kind.JOB_ENDED] * 4
    assert not any(each.is_behind for each in rows_of(engine, Webhook))


async def test_note__notices_taken_and_given_up__are_counted_off(
    market: Market, engine: Engine, take_in: TakeIn, noting: Noting
) -> None:
    renter = market.renter()
    add(engine, endpoint("one", renter))
    await noting.note(0)
    rent_and_stop(market, renter, 2)
    take_in()
    await noting.note(0)
    assert only(engine, Webhook).waiting == 4
    with writing(engine) as connection:
        take_one(connection, "one")
        take_one(connection, "one")
    assert only(engine, Webhook).waiting == 2
    with writing(engine) as connection:
        deliveries.replay(connection, "one", WebhookDelivery.c.number > 0, 0)
    assert only(engine, Webhook).waiting == 4


async def test_create__since_then_all_have_been_told_more__goes_on_by_itself(
    market: Market, engine: Engine, take_in: TakeIn, noting: Noting
) -> None:
    renter = market.renter()
    add(engine, endpoint("first", renter))
    await noting.note(0)
    with engine.connect() as connection:
        asked = intake_of(connection).last
    rent_and_stop(market, renter, 1)
    take_in()
    await noting.note(0)
    add(engine, endpoint("late", renter), asked)
    assert {each.id: each.is_behind for each in rows_of(engine, Webhook)} == {"first": False, "late": True}
    while await noting.note(0):
        pass
    assert told(engine, "late") == [Kind.JOB_OPENED, Kind.JOB_ENDED]
    assert not any(each.is_behind for each in rows_of(engine, Webhook))


async def test_enable__after_a_while__goes_on_where_it_stopped(
    market: Market, engine: Engine, take_in: TakeIn, noting: Noting
) -> None:
    renter = market.renter()
    for id in ("other", "one"):
        add(engine, endpoint(id, renter))
    await noting.note(0)
    for values in ({"disabled_at": 1}, {"disabled_at": None}):
        with writing(engine) as connection:
            webhooks.change(connection, "one", "one", values)
        rent_and_stop(market, renter, 1)
        take_in()
        while await noting.note(0):
            pass
    assert told(engine, "one") == told(engine, "other") == [Kind.JOB_OPENED, Kind.JOB_ENDED] * 2


def test_refresh__one_of_many_changed__reads_that_one(
    engine: Engine, market: Market, job: Pubkey, take_in: TakeIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_in()
    renter = market.renter()
    for number in range(20):
        add(engine, endpoint(str(number), renter))
    roster, read = Roster(Relations()), list[Any]()
    enabled = webhooks.enabled
    monkeypatch.setattr(
        webhooks, "enabled", lambda connection, among=None: read.append(among) or enabled(connection, among)
    )
    with writing(engine) as connection:
        roster.refresh(connection)
        roster.refresh(connection)
        webhooks.change(connection, "3", "3", {"types": Kind.PAYOUT_PAID.value})
        webhooks.remove(connection, "4", "4")
        roster.refresh(connection)
    assert read == [None, {"3", "4"}] and len(roster.all) == len(roster.current) == 19
    assert roster.all.wants(Kind.PAYOUT_PAID)


def test_behind__many_of_one_network__let_others_have_their_turn(engine: Engine) -> None:
    with writing(engine) as connection:
        for number in range(30):
            wide = "203.0.113.0/24" if number else "198.51.100.0/24"
            made = endpoint(str(number), Pubkey.default(), is_behind=True, wide=wide)
            made.index_id, made.number = "index", number
            connection.execute(Webhook.table.insert().values(vars(made)))
        turns = []
        for turn in range(1, 5):
            [row] = notice_places.next_behind(connection, 1)
            turns.append(row.number)
            notice_places.catch_up(connection, [str(row.number)], notice_places.EventPlace("index", row.number), turn)
        assert turns.count(0) == 2
