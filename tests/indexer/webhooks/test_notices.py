"""Notices of what happens on the chain: each once, signed, with what it is about. Invariant IDX-8."""

from __future__ import annotations

from collections.abc import Callable

from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, select, update

from indexer.accounts.models import NoticePlace, WebhookDelivery
from indexer.api.webhooks.kinds import ENDS, TEST, Kind
from indexer.models import Intake
from indexer.store.database import writing
from tests.indexer.databases import in_time, on_both_databases
from tests.indexer.webhooks.conftest import Add, Clock
from tests.indexer.webhooks.receiver import Receiver
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST
from tests.program.harness.flows import opened, running
from tests.program.harness.terms import HOUR

TakeIn = Callable[[], None]


@on_both_databases
def test_notices__job_from_opening_to_end__come_in_order_with_amounts(
    market: Market, job: Pubkey, api: TestClient, add: Add, receiver: Receiver, take_in: TakeIn
) -> None:
    market.act(market.stop_rental(job))
    take_in()
    renter = market.renter()
    add(topics=[f"wallet:{renter}"])
    other = running(market, renter, listing=market.listings[0])
    market.act(market.extend_rental(other, HOUR))
    market.wait(60)
    market.act(market.stop_rental(other))
    take_in()
    kinds = [Kind.JOB_OPENED, Kind.JOB_ACCEPTED, Kind.JOB_RUNNING, Kind.JOB_EXTENDED, Kind.JOB_ENDED, Kind.REFUND_PAID]
    taken = [receiver.take(kind) for kind in kinds]
    assert len({each.id for each in taken}) == len(kinds)
    found = api.get("/api/jobs", params={"renter": str(renter)}).json()["jobs"][0]
    *_, extended, ended, refunded = taken
    assert extended.data["seconds_added"] == HOUR and extended.data["deposit_added"].isdecimal()
    assert ended.data["job"] == found and ended.data["reason"] == "stopped"
    assert ended.data["link"] == f"/api/jobs/{other}" and ended.data["tx"] == found["close_tx"]
    assert (refunded.data["amount"], refunded.data["mint"]) == (found["refunded"], found["mint"])
    assert refunded.data["decimals"] == found["decimals"]


def test_notices__payout__goes_to_the_host_and_no_renter(
    market: Market, job: Pubkey, add: Add, receiver: Receiver, take_in: TakeIn
) -> None:
    renter = market.rental(job).renter
    add(topics=[f"wallet:{renter}"], types=[Kind.PAYOUT_PAID, Kind.JOB_ENDED])
    add(topics=[f"wallet:{HOST}"], types=[Kind.PAYOUT_PAID, Kind.REFUND_PAID])
    market.pass_time(600)
    market.act(market.settle_rental(job))
    take_in()
    paid = receiver.take(Kind.PAYOUT_PAID)
    assert int(paid.data["amount"]) > 0 and paid.data["job"]["host_paid"] == paid.data["amount"]
    assert paid.signed_by == receiver.secrets[1:]
    market.act(market.stop_rental(job))
    take_in()
    assert {receiver.take().type for _ in range(2)} == {Kind.PAYOUT_PAID, Kind.JOB_ENDED}


def test_notices__order_refused__says_so_before_it_ends(
    market: Market, job: Pubkey, add: Add, receiver: Receiver, take_in: TakeIn
) -> None:
    market.act(market.stop_rental(job))
    order = opened(market, market.renter(), listing=market.listings[0])
    reason = next(reason for reason, kind in ENDS.items() if kind is Kind.JOB_REFUSED)
    add(topics=[f"job:{order}"], types=[Kind.JOB_REFUSED, Kind.JOB_ENDED])
    market.act(market.cancel_rental(order, reason))
    take_in()
    assert receiver.take(Kind.JOB_REFUSED).data["reason"] == receiver.take(Kind.JOB_ENDED).data["reason"]


def test_notices__request__is_matched_or_expires(
    market: Market, job: Pubkey, add: Add, receiver: Receiver, take_in: TakeIn
) -> None:
    market.act(market.stop_rental(job))
    renters = market.renter(), market.renter()
    add(topics=[f"wallet:{renter}" for renter in renters], types=[Kind.REQUEST_MATCHED, Kind.REQUEST_EXPIRED])
    lasting, ending = (market.ask(renter) for renter in renters)
    market.beat()
    market.act(market.match_request(lasting))
    market.wait(HOUR + 1)
    market.act(market.expire_request(ending))
    take_in()
    matched, expired = receiver.take(Kind.REQUEST_MATCHED), receiver.take(Kind.REQUEST_EXPIRED)
    assert matched.data["request"]["id"] == str(lasting) and matched.data["job_id"] == matched.data["request"]["job"]
    assert expired.data["link"] == f"/api/requests/{ending}"


def test_notices__event_that_is_not_final__waits_until_it_is(
    market: Market,
    job: Pubkey,
    api: TestClient,
    headers: dict[str, str],
    add: Add,
    receiver: Receiver,
    take_in: TakeIn,
    status: Clock,
) -> None:
    status.final_slot = market.node.clock.slot
    made = add(topics=[f"job:{job}"], types=[Kind.JOB_ENDED])
    market.wait(10)
    market.act(market.stop_rental(job))
    take_in()
    api.post(f"/api/webhooks/{made['id']}/test", headers=headers)
    receiver.take(TEST)
    status.final_slot = market.node.clock.slot
    take_in()
    receiver.take(Kind.JOB_ENDED)


def test_notices__index_with_other_numbers__are_not_made_anew(
    market: Market, job: Pubkey, add: Add, receiver: Receiver, take_in: TakeIn, engine: Engine, writer: Engine
) -> None:
    """As one that was deleted and has read the chain again."""
    add(topics=[f"job:{job}"], types=[Kind.JOB_OPENED, Kind.JOB_ENDED])
    market.wait(1)
    market.act(market.stop_rental(job))
    take_in()
    receiver.take(Kind.JOB_ENDED)
    with writing(writer) as connection:
        connection.execute(update(Intake.table).values(id="f" * 16))
    for attempt in in_time:
        with attempt, engine.connect() as connection:
            assert connection.execute(select(NoticePlace.c.index_id)).scalar_one() == "f" * 16
    with engine.connect() as connection:
        assert connection.execute(select(WebhookDelivery.c.type)).scalars().all() == [Kind.JOB_ENDED]
