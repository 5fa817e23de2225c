"""Notices that come of time: a job's funds run low, or its host has not been heard from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, or_, select

from anchor_client.kinds import JobState
from indexer.accounts.models import WebhookDelivery
from indexer.api.feed.topics import JOB, WALLET
from indexer.api.webhooks.audience import Audience, NoticeEndpoint
from indexer.api.webhooks.kinds import Happening, Kind
from indexer.api.webhooks.notices import body_of, data_of, id_of, notice
from indexer.models import Listing, Rental
from indexer.status import Status

SECONDS = "s"
PERCENT = "%"
MOST_NAMED = 1_000
"""Addresses up to which the database finds their jobs; of more than that all that run are read."""
_RUNNING = (
    select(
        Rental.c.address,
        Rental.c.renter,
        Rental.c.duration,
        Rental.c.paid_until,
        Rental.c.offline_after,
        Listing.c.last_heartbeat_at,
    )
    .join(Listing.table, Listing.c.address == Rental.c.listing)
    .where(Rental.c.status == JobState.RUNNING.value)
)


class Look(NamedTuple):
    """Findings at a moment of the chain."""

    notices: list[WebhookDelivery]
    next_at: int | None
    """When time alone brings the next one, by the chain's clock."""


class _Moment(NamedTuple):
    """Time of a job's notice, and its unique part."""

    at: int
    place: tuple[object, ...]
    happening: Happening


class Timed:
    """Checks the running jobs. Notices that were made are not made again."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def look(self, connection: Connection, audience: Audience, chain: Status, now: int) -> Look:
        """The notices that are due by the chain's time; `now` is the computer's."""
        at = chain.now()
        if not audience.wants(Kind.JOB_LOW_FUNDS, Kind.HOST_OFFLINE):
            return Look([], None)
        made: list[WebhookDelivery] = []
        due: set[str] = set()
        later: list[int] = []
        for row in connection.execute(_running_of(audience.addresses(MOST_NAMED))):
            for webhook, moment in _moments(connection, row, audience):
                if moment.at > at:
                    later.append(moment.at)
                elif at < row.paid_until:
                    kind = moment.happening.kind
                    due.add(id := id_of(webhook.id, kind, row.address, *moment.place))
                    if id not in self._told:
                        body = body_of(kind, moment.at, data_of(connection, moment.happening, chain))
                        made.append(notice(webhook.id, kind, id, body, now))
        self._told &= due
        return Look(made, min(later, default=None))

    def keep(self, notices: Sequence[WebhookDelivery]) -> None:
        """They have been kept."""
        self._told.update(each.id for each in notices)


def seconds_left(threshold: str, duration: int) -> int:
    """Seconds left of a duration when funds count as low, by a threshold: 600s, or 10%."""
    amount = int(threshold[:-1])
    unit = threshold[-1]
    return amount if unit == SECONDS else duration * amount // 100


def _running_of(addresses: set[str] | None) -> Select[*tuple[Any, ...]]:
    """The jobs that run and belong to any of them, as job, renter, machine or host's wallet."""
    if addresses is None or len(addresses) > MOST_NAMED:
        return _RUNNING
    parties = (Rental.c.address, Rental.c.renter, Rental.c.listing, Listing.c.authority)
    return _RUNNING.where(or_(*(party.in_(addresses) for party in parties)))


def _moments(
    connection: Connection, row: Row[*tuple[Any, ...]], audience: Audience
) -> Iterator[tuple[NoticeEndpoint, _Moment]]:
    job = JOB, row.address
    offline_at = row.last_heartbeat_at + row.offline_after + 1
    if offline_at < row.paid_until:
        facts = {"last_heartbeat_at": row.last_heartbeat_at, "offline_after": row.offline_after}
        silence = _Moment(offline_at, (row.last_heartbeat_at,), Happening(Kind.HOST_OFFLINE, job, facts))
        for webhook in audience.of(connection, silence.happening):
            yield webhook, silence
    low = Happening(Kind.JOB_LOW_FUNDS, job, audience=((WALLET, row.renter),))
    for webhook in audience.of(connection, low):
        for threshold in webhook.low_funds:
            left = seconds_left(threshold, row.duration)
            facts = {"threshold": threshold, "left": left, "paid_until": row.paid_until}
            happening = Happening(Kind.JOB_LOW_FUNDS, job, facts)
            yield webhook, _Moment(row.paid_until - left, (threshold, row.paid_until), happening)
