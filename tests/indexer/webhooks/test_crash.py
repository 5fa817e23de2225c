"""Whoever sends is killed again and again: each notice comes at least once, under one id. Invariant IDX-8."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

import pytest
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, select

from anchor_client.generated.program import PROGRAM_ID
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.accounts.webhooks import new_signing_secret
from indexer.api.webhooks.kinds import Kind, happenings_of
from indexer.api.webhooks.notices import id_of
from indexer.index.decode import decode
from indexer.index.ingest import ingest
from indexer.store.database import writing
from indexer.store.events import Decoded
from tests.indexer.databases import in_time
from tests.indexer.webhooks.crashing import send_until_killed
from tests.indexer.webhooks.receiver import Receiver
from tests.markets.recorded import Market
from tests.program.harness.flows import running

JOBS, KILLS = 8, 6
PROCESSES = get_context("fork")
"""Others would load for seconds what is loaded here."""
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


@contextmanager
def sender(engine: Engine) -> Iterator[None]:
    """Killed at the end."""
    process = PROCESSES.Process(
        target=send_until_killed, args=(engine.url.render_as_string(hide_password=False), 5), daemon=True
    )
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def endpoint(engine: Engine, receiver: Receiver, id: str, renter: Pubkey) -> None:
    types = " ".join(kind for kind in Kind if kind is not Kind.PAYOUT_PAID)
    made = Webhook(
        id=id,
        wallet="w",
        url=receiver.url,
        types=types,
        topics=f"wallet:{renter}",
        low_funds="",
        secret=new_signing_secret(),
        created_at=0,
        since=0,
        index_id="",
        number=0,
    )
    receiver.secrets.append(made.secret)
    with writing(engine) as connection:
        connection.execute(insert(Webhook.table).values(vars(made)))


def expected(market: Market, renter: Pubkey, endpoints: list[str]) -> dict[str, tuple[str, str]]:
    """The notices by their ids: type and transaction."""
    jobs: set[str] = set()
    found = {}
    for outcome in (each for taken in market.transactions() for each in decode(taken, str(PROGRAM_ID))):
        assert isinstance(outcome, Decoded)
        if getattr(outcome.event, "renter", None) == renter:
            jobs.add(str(outcome.event.rental))
        for happening in happenings_of(outcome.event):
            if happening.subject[1] in jobs and happening.kind is not Kind.PAYOUT_PAID:
                for each in endpoints:
                    id = id_of(each, happening.kind, *outcome.origin.key)
                    found[id] = happening.kind.value, outcome.origin.signature
    return found


@pytest.mark.exhaustive
def test_sender__killed_in_the_middle__every_notice_comes_under_one_id(
    market: Market, engine: Engine, receiver: Receiver
) -> None:
    renter, names = market.renter(), ["first", "second"]
    for name in names:
        endpoint(engine, receiver, name, renter)
    taken = []
    for number in range(JOBS):
        job = running(market, renter, listing=market.listings[0])
        market.act(market.stop_rental(job))
        if number % 2:
            ingest(market.transactions(), engine)
        if number < KILLS:
            with sender(engine):
                taken += [receiver.take() for _ in range(number % 3 + (number > 1))]
    wanted = expected(market, renter, names)
    with sender(engine):
        for attempt in in_time:
            with attempt, engine.connect() as connection:
                rows = connection.execute(select(WebhookDelivery.c.id, WebhookDelivery.c.status)).all()
                assert dict(rows) == dict.fromkeys(wanted, "delivered")
    while not receiver.is_empty:
        taken.append(receiver.take())
    by_fact = defaultdict(set)
    for each in taken:
        assert (each.type, each.data["tx"]) == wanted[each.id]
        by_fact[each.type, each.data["tx"], *each.signed_by].add(each.id)
    assert {each.id for each in taken} == wanted.keys() and len(wanted) == JOBS * 5 * len(names)
    assert all(len(ids) == 1 for ids in by_fact.values())
