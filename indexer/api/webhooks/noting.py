"""From the index's numbered events to notices: the events are the outbox, and each endpoint has its place in it.

An event is numbered in the SQL transaction that takes it in. Its notices and the new place are kept in one transaction
as well, and their ids follow from the event. So whatever is killed when, none is lost, and none comes under two ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import structlog
from sqlalchemy import Connection, select, update

from indexer.accounts import deliveries
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.accounts.webhooks import unchanged
from indexer.api.feed.relations import Relations
from indexer.api.webhooks.audience import Audience
from indexer.api.webhooks.kinds import happenings_of
from indexer.api.webhooks.notices import body_of, data_of, id_of, notice
from indexer.metrics import WEBHOOK_NOTICES
from indexer.models import Intake, RawEvent
from indexer.status import Status
from indexer.store.events import Decoded, Origin, read, time_of
from indexer.store.intake import intake_of, newest_time
from indexer.store.transactions import Reads, Writes

PAGE = 500
MOST_WAITING = 1_000
"""Of an endpoint; its further notices are made when these have been taken."""
TOLD_SECONDS = 7 * 86_400
"""Longest age of events that are still sent: an endpoint that was disabled, or a new index, begins there."""

log = structlog.get_logger(__name__)


class NotingPlace(NamedTuple):
    """Position up to which the notices of endpoints have been made."""

    index_id: str
    number: int
    anew: bool
    """True in an index that is not the one they began with."""


class Page(NamedTuple):
    """Notices for endpoints of one place, and the place that they have then."""

    notices: list[WebhookDelivery]
    place: NotingPlace
    is_last: bool


class Noting:
    """Makes the notices of what the index has taken in and the chain will not take back."""

    def __init__(self, reads: Reads, account_reads: Reads, account_writes: Writes, status: Status) -> None:
        self._reads = reads
        self._account_reads = account_reads
        self._account_writes = account_writes
        self._status = status
        self.relations = Relations()

    async def note(self, enabled: Sequence[Webhook], now: int) -> bool:
        """Makes them, the most advanced endpoints first; whether there are more. `now` is the computer's clock."""
        intake = await self._reads(intake_of)
        behind = [webhook for webhook in enabled if _place(webhook, intake)[:2] != (intake.id, intake.last)]
        if not behind:
            return False
        waiting = await self._account_reads(deliveries.waiting_of)
        behind = [webhook for webhook in behind if waiting.get(webhook.id, 0) < MOST_WAITING]
        behind.sort(key=lambda webhook: _place(webhook, intake), reverse=True)
        has_more = False
        for place, group in groupby(behind, lambda webhook: _place(webhook, intake)):
            has_more |= await self._advance([*group], place, now)
        return has_more

    async def _advance(self, group: Sequence[Webhook], place: NotingPlace, now: int) -> bool:
        room = MOST_WAITING
        while room > 0:
            page = await self._reads(self._page, group, place, now)
            if page.place != place or any(_kept_place(webhook) != place for webhook in group):
                made, group = await self._account_writes(_keep, group, page)
                for each in made:
                    WEBHOOK_NOTICES.labels(each.type).inc()
                room -= len(made)
            if page.is_last or not group:
                return False
            place = page.place
        return True

    def _page(self, connection: Connection, group: Sequence[Webhook], place: NotingPlace, now: int) -> Page:
        audience = Audience(group, self.relations)
        oldest = newest_time(connection) - TOLD_SECONDS
        made: list[WebhookDelivery] = []
        rows = connection.execute(_EVENTS.where(RawEvent.c.number > place.number).limit(PAGE)).all()
        final = self._status.final_slot
        number = place.number
        for at, *origin, data in rows:
            where = Origin(*origin)
            if final is not None and where.slot > final:
                return Page(made, place._replace(number=number), is_last=True)
            number = at
            outcome = read(where, data)
            if not isinstance(outcome, Decoded):
                log.error("an event cannot be published", tx=where.signature, error=str(outcome.error))
            elif time_of(outcome.event) >= oldest:
                made += self._notices(connection, audience, outcome, place.anew, now)
        return Page(made, place._replace(number=number), is_last=len(rows) < PAGE)

    def _notices(
        self, connection: Connection, audience: Audience, outcome: Decoded, anew: bool, now: int
    ) -> list[WebhookDelivery]:
        where = outcome.origin
        made = []
        for happening in happenings_of(outcome.event):
            told = [each for each in audience.of(connection, happening) if not anew or where.slot > each.since]
            if told:
                facts = {"event": type(outcome.event).__name__, "tx": where.signature, "slot": where.slot}
                data_told = data_of(connection, happening, self._status) | facts
                body = body_of(happening.kind, time_of(outcome.event), data_told)
                ids = {each.id: id_of(each.id, happening.kind, *where.key) for each in told}
                made += [notice(each, happening.kind, id, body, now) for each, id in ids.items()]
        return made


_EVENTS = select(
    RawEvent.c.number,
    RawEvent.c.signature,
    RawEvent.c.instruction_index,
    RawEvent.c.inner_index,
    RawEvent.c.slot,
    RawEvent.c.transaction_index,
    RawEvent.c.data,
).order_by(RawEvent.c.number)


def _place(webhook: Webhook, intake: Intake) -> NotingPlace:
    """An endpoint's; the beginning in an index that has lost or changed its numbers."""
    if webhook.index_id in ("", intake.id) and webhook.number <= intake.last:
        return NotingPlace(intake.id, webhook.number, webhook.anew)
    return NotingPlace(intake.id, 0, anew=True)


def _kept_place(webhook: Webhook) -> NotingPlace:
    return NotingPlace(webhook.index_id, webhook.number, webhook.anew)


def _keep(connection: Connection, group: Sequence[Webhook], page: Page) -> tuple[list[WebhookDelivery], list[Webhook]]:
    """Keeps a page; gives its new notices, and the endpoints that have its place. One that has changed meanwhile asks
    for other notices of these events: it stays where it was, and the change has the round repeated.
    """
    same = unchanged(connection, group)
    ids = {webhook.id for webhook in same}
    made = deliveries.note(connection, [each for each in page.notices if each.endpoint in ids])
    connection.execute(update(Webhook.table).where(Webhook.c.id.in_(ids)).values(page.place._asdict()))
    return made, same
