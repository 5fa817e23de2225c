"""Endpoints that change between the moment they are read and the moment their notices are kept. Invariant IDX-8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, select

from indexer.accounts import deliveries, webhooks
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.api.feed.relations import Relations
from indexer.api.webhooks.kinds import Kind
from indexer.api.webhooks.noting import Noting, Page
from indexer.api.webhooks.roster import Roster
from indexer.api.webhooks.timed import Timed
from indexer.status import Status
from indexer.store.database import writing
from indexer.store.intake import intake_of
from indexer.store.transactions import Reads, Writes
from tests.indexer.webhooks.conftest import Clock
from tests.markets.recorded import Market

OTHERS = {"types": Kind.PAYOUT_PAID.value}
DISABLED = {"disabled_at": 1}
ASKED = {"types": Kind.JOB_ENDED.value, "disabled_at": None}


@pytest.fixture
def change(job: Pubkey, engine: Engine, take_in: Callable[[], None]) -> Callable[..., None]:
    """Changes the one endpoint, which follows the job from now on."""
    take_in()
    values: dict[str, Any] = {"wallet": "w", "url": "u", "topics": f"job:{job}", "low_funds": "600s", "secret": "s"}
    with writing(engine) as connection:
        intake = intake_of(connection)
        values |= {"index_id": intake.id, "number": intake.last}
        made = Webhook(id="endpoint", types=Kind.JOB_ENDED, created_at=0, since=0, **values)
        connection.execute(insert(Webhook.table).values(vars(made)))

    def changed(**values: object) -> None:
        with writing(engine) as connection:
            webhooks.change(connection, "w", "endpoint", values)

    return changed


def noted(engine: Engine) -> list[str]:
    """The types of the notices that are kept."""
    with engine.connect() as connection:
        return [*connection.execute(select(WebhookDelivery.c.type)).scalars()]


@pytest.mark.parametrize(("before", "during"), [(ASKED, DISABLED), (OTHERS, ASKED)], ids=["disabled", "other types"])
async def test_note__endpoint_changed_since_it_was_read__is_told_what_it_asks_for_now(
    market: Market,
    job: Pubkey,
    engine: Engine,
    take_in: Callable[[], None],
    change: Callable[..., None],
    before: dict[str, object],
    during: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(**before)
    with Reads(engine) as reads, Writes(engine) as writes:
        noting = Noting(reads, reads, writes, Status())
        await noting.note(0)
        market.act(market.stop_rental(job))
        take_in()
        page = noting._page

        def changing(*given: Any) -> Page:
            """The endpoint changes once its notices have been made."""
            monkeypatch.setattr(noting, "_page", page)
            made = page(*given)
            change(**during)
            return made

        monkeypatch.setattr(noting, "_page", changing)
        await noting.note(0)
        assert noted(engine) == ([] if during == DISABLED else [Kind.JOB_ENDED])
        change(**ASKED)
        await noting.note(0)
        assert noted(engine) == [Kind.JOB_ENDED]


def test_look__endpoint_disabled_since_it_was_read__is_told_once_it_is_enabled(
    market: Market, job: Pubkey, engine: Engine, status: Clock, change: Callable[..., None]
) -> None:
    change(types=Kind.JOB_LOW_FUNDS)
    rental = market.rental(job)
    status.at = rental.started_at + rental.duration - 1
    timed = Timed()
    for during, told in ((DISABLED, []), ({}, [Kind.JOB_LOW_FUNDS])):
        with writing(engine) as connection:
            roster = Roster(Relations())
            roster.refresh(connection)
            look = timed.look(connection, roster.all, status, 0)
            if during:
                webhooks.change(connection, "w", "endpoint", during)
            timed.keep(deliveries.note_asked(connection, roster.version, look.notices))
            webhooks.change(connection, "w", "endpoint", {"disabled_at": None})
        assert noted(engine) == told
