"""From the index's numbered events to notices: the events are the outbox, and all endpoints have one place in it.

An event is numbered in the SQL transaction that takes it in. Its notices and the new place are kept in one transaction
as well, and their ids follow from the event. So whatever is killed when, none is lost, and none comes under two ids.
An endpoint that takes its notices too slowly, or was disabled, is behind: it continues from its own place, in turns
by network, and holds up nobody.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Connection, select

from indexer.accounts import deliveries, notice_places
from indexer.accounts.models import WebhookDelivery
from indexer.accounts.notice_places import PAGES_BEHIND, EventPlace
from indexer.accounts.webhooks import changed_since
from indexer.api.feed.relations import Relations
from indexer.api.webhooks.audience import Audience
from indexer.api.webhooks.kinds import Kind, happenings_of
from indexer.api.webhooks.notices import body_of, data_of, data_of_search, id_of, notice
from indexer.api.webhooks.roster import Roster, endpoints_of
from indexer.api.webhooks.searching import fitting, openings_of
from indexer.metrics import WEBHOOK_NOTICES
from indexer.models import Intake, RawEvent
from indexer.status import Status
from indexer.store.events import Decoded, Origin, read, time_of
from indexer.store.intake import intake_of, newest_time
from indexer.store.transactions import Reads, Writes

PAGE = 500
PAGES = 8
"""Of all endpoints in a round; the next round continues."""
TOLD_SECONDS = 7 * 86_400
"""Longest age of events that are still sent: an endpoint that was disabled, or a new index, begins there."""
MILLISECONDS = 1_000

log = structlog.get_logger(__name__)


class Page(NamedTuple):
    """Notices of some events, and the place behind them."""

    notices: list[WebhookDelivery]
    place: EventPlace
    is_last: bool


class Noting:
    """Makes the notices of what the index has taken in and the chain will not take back."""

    def __init__(self, reads: Reads, account_reads: Reads, account_writes: Writes, status: Status) -> None:
        self._reads = reads
        self._account_reads = account_reads
        self._account_writes = account_writes
        self._status = status
        self.relations = Relations()
        self.roster = Roster(self.relations)

    async def note(self, now: int) -> bool:
        """Makes them, those of all endpoints first; whether there are more. `now` is the computer's clock."""
        await self._account_reads(self.roster.refresh)
        if not len(self.roster.all):
            return False
        intake = await self._reads(intake_of)
        place = await self._account_reads(notice_places.common_place)
        if place is None or place.index_id != intake.id or place.number > intake.last:
            place = await self._account_writes(notice_places.begin_at, intake.id, intake.last)
            await self._account_reads(self.roster.refresh)
        has_more = await self._advance(place, intake, now)
        return await self._catch_up(now) or has_more

    async def _advance(self, place: EventPlace, intake: Intake, now: int) -> bool:
        for _ in range(PAGES):
            if place.number >= intake.last:
                return False
            version = self.roster.version
            lowest = self.roster.current.lowest(intake.last)
            if place.number < lowest:
                # Events older than all endpoints give no notices.
                page = Page([], EventPlace(intake.id, lowest), is_last=lowest == intake.last)
            else:
                page = await self._reads(self._page, self.roster.current, place, now)
            if page.place != place:
                self._count(await self._account_writes(_keep, page, place, version))
                await self._account_reads(self.roster.refresh)
            if page.is_last:
                return False
            place = page.place
        return True

    async def _catch_up(self, now: int) -> bool:
        """A page of each of those that have waited longest; whether any has more."""
        has_more = False
        for row in await self._account_reads(notice_places.next_behind, PAGES_BEHIND):
            place = EventPlace(row.index_id, row.number)
            version, group = await self._account_reads(notice_places.behind_at, place)
            if not group:
                continue
            audience = Audience(self.relations, await self._account_reads(endpoints_of, group))
            page = await self._reads(self._page, audience, place, now)
            turn = round(time.time() * MILLISECONDS)
            self._count(await self._account_writes(_keep_behind, page, {each.id for each in group}, turn, version))
            has_more |= not page.is_last
        return has_more

    def _count(self, made: Sequence[WebhookDelivery]) -> None:
        for each in made:
            WEBHOOK_NOTICES.labels(each.type).inc()

    def _page(self, connection: Connection, audience: Audience, place: EventPlace, now: int) -> Page:
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
                made += self._notices(connection, audience, outcome, at, now)
        return Page(made, place._replace(number=number), is_last=len(rows) < PAGE)

    def _notices(
        self, connection: Connection, audience: Audience, outcome: Decoded, number: int, now: int
    ) -> list[WebhookDelivery]:
        where = outcome.origin
        facts = {"event": type(outcome.event).__name__, "tx": where.signature, "slot": where.slot}
        made = self._searched(connection, audience, outcome, number, facts, now)
        for happening in happenings_of(outcome.event):
            told = [each for each in audience.of(connection, happening) if each.is_told(number, where.slot)]
            if told:
                data_told = data_of(connection, happening, self._status) | facts
                body = body_of(happening.kind, time_of(outcome.event), data_told)
                ids = {each.id: id_of(each.id, happening.kind, *where.key) for each in told}
                made += [notice(each, happening.kind, id, body, now) for each, id in ids.items()]
        return made

    def _searched(
        self,
        connection: Connection,
        audience: Audience,
        outcome: Decoded,
        number: int,
        facts: dict[str, Any],
        now: int,
    ) -> list[WebhookDelivery]:
        """Notices of listings that have come to fit saved searches."""
        made: list[WebhookDelivery] = []
        if not audience.searches:
            return made
        for opening in openings_of(connection, outcome.event):
            for search in fitting(connection, opening, audience.searches, self._status):
                data = data_of_search(connection, search, opening.listing, self._status) | facts
                body = body_of(Kind.SEARCH_FITS, time_of(outcome.event), data)
                for each in audience.searching(search):
                    if each.is_told(number, outcome.origin.slot):
                        id = id_of(each.id, Kind.SEARCH_FITS, search.id, opening.listing, *opening.place)
                        made.append(notice(each.id, Kind.SEARCH_FITS, id, body, now))
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


def _keep(connection: Connection, page: Page, before: EventPlace, version: int) -> list[WebhookDelivery]:
    """Keeps a page for all endpoints, and gives its new notices. Those that are full, or have changed meanwhile and so
    may ask for other notices of these events, continue from their own place before it."""
    left = notice_places.full_among(connection, {each.endpoint for each in page.notices})
    changed, _ = changed_since(connection, version)
    notice_places.advance(connection, page.place)
    if changed is None:
        notice_places.fall_behind(connection, before, None)
        return []
    behind = left | changed
    notice_places.fall_behind(connection, before, behind)
    return deliveries.note(connection, [each for each in page.notices if each.endpoint not in behind])


def _keep_behind(
    connection: Connection, page: Page, endpoints: set[str], turn: int, version: int
) -> list[WebhookDelivery]:
    """The same for endpoints that are behind; those that have changed meanwhile stay where they are."""
    changed, _ = changed_since(connection, version)
    if changed is None:
        return []
    same = endpoints - changed
    made = deliveries.note(connection, [each for each in page.notices if each.endpoint in same])
    notice_places.catch_up(connection, same, page.place, turn)
    return made
