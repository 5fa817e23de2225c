"""Places in the stream of events up to which notices have been made: one for all endpoints, and one of their own for
those that are behind it, because they are not taken fast enough or were disabled."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, case, func, insert, or_, select, update

from indexer.accounts.models import NoticePlace, Webhook
from indexer.accounts.webhooks import changed_since, note_change, note_reload

MOST_WAITING: Final = 1_000
"""Notices of an endpoint that wait; its further ones are made when these have been taken."""
MOST_WAITING_SLOW: Final = 50
"""The same of one that has not lately answered within a second: rows cost everyone."""

PAGES_BEHIND: Final = 4
"""Of endpoints that are behind, in a round: of as many networks, those that have waited longest."""

IS_FULL: ColumnElement[bool] = Webhook.c.waiting >= case((Webhook.c.is_quick, MOST_WAITING), else_=MOST_WAITING_SLOW)


class EventPlace(NamedTuple):
    """Number of an event in an index; the next one is the first that is not yet told."""

    index_id: str
    number: int


def common_place(connection: Connection) -> EventPlace | None:
    """The place of all; None before there is one."""
    row = connection.execute(select(NoticePlace.c.index_id, NoticePlace.c.number)).first()
    if row is None:
        return None
    return EventPlace(*row)


def begin_at(connection: Connection, index_id: str, last: int) -> EventPlace:
    """The place from which all continue in an index: the common one, or its beginning where that is another index, or
    one that has lost its numbers. Endpoints then are told what is not older than they are."""
    place = common_place(connection)
    if place is not None and place.index_id == index_id and place.number <= last:
        return place
    lost = or_(Webhook.c.index_id.not_in(("", index_id)), Webhook.c.number > last)
    connection.execute(update(Webhook.table).where(lost).values(index_id=index_id, number=0, anew=True))
    note_reload(connection)
    oldest = select(func.min(Webhook.c.number)).where(~Webhook.c.is_behind)
    first: int | None = connection.execute(oldest).scalar()
    begun = EventPlace(index_id, last if first is None else min(first, last))
    if place is None:
        connection.execute(insert(NoticePlace.table).values(id=1, **begun._asdict()))
    else:
        advance(connection, begun)
    return begun


def advance(connection: Connection, after: EventPlace) -> None:
    """Moves the common place on."""
    connection.execute(update(NoticePlace.table).values(after._asdict()))


def fall_behind(connection: Connection, place: EventPlace, endpoints: Collection[str] | None) -> None:
    """Marks endpoints that were at a place, or all, as behind: they continue from there on their own."""
    chosen = ~Webhook.c.is_behind
    if endpoints is not None:
        if not endpoints:
            return
        chosen &= Webhook.c.id.in_(endpoints)
    there = case((Webhook.c.number < place.number, place.number), else_=Webhook.c.number)
    connection.execute(
        update(Webhook.table).where(chosen).values(is_behind=True, number=there, index_id=place.index_id)
    )
    if endpoints is None:
        note_reload(connection)
    else:
        note_change(connection, endpoints)


def full_among(connection: Connection, endpoints: Collection[str]) -> set[str]:
    """Those of these endpoints for which as many notices wait as may."""
    return set(connection.execute(select(Webhook.c.id).where(Webhook.c.id.in_(endpoints), IS_FULL)).scalars())


def next_behind(connection: Connection, networks: int) -> list[Row[Any]]:
    """Places of endpoints that are behind and have room, as index and number: of as many networks, those that have
    waited longest."""
    behind = Webhook.c.is_behind & Webhook.c.disabled_at.is_(None) & ~IS_FULL
    turns = select(Webhook.c.wide).where(behind).group_by(Webhook.c.wide)
    found: list[Row[Any]] = []
    for network in connection.execute(
        turns.order_by(func.max(Webhook.c.caught_at), Webhook.c.wide).limit(networks)
    ).scalars():
        own = select(Webhook.c.index_id, Webhook.c.number).where(behind, Webhook.c.wide == network)
        found += list(connection.execute(own.order_by(Webhook.c.caught_at, Webhook.c.id).limit(1)))
    return list(dict.fromkeys(found))


def behind_at(connection: Connection, place: EventPlace) -> tuple[int, list[Webhook]]:
    """The endpoints that are behind, at a place, and have room, and the number of the newest change."""
    chosen = (Webhook.c.is_behind & Webhook.c.disabled_at.is_(None) & ~IS_FULL) & (Webhook.c.number == place.number)
    rows = connection.execute(select(Webhook.table).where(chosen, Webhook.c.index_id == place.index_id)).mappings()
    return changed_since(connection, 0)[1], [Webhook(**row) for row in rows]


def catch_up(connection: Connection, endpoints: Collection[str], after: EventPlace, turn: int) -> None:
    """Moves endpoints that are behind on; those that have reached the common place follow it from now on."""
    if not endpoints:
        return
    common = common_place(connection)
    is_there = common is not None and common.index_id == after.index_id and common.number <= after.number
    values = {"index_id": after.index_id, "number": after.number, "caught_at": turn, "is_behind": not is_there}
    chosen = Webhook.c.id.in_(endpoints) & Webhook.c.is_behind & Webhook.c.disabled_at.is_(None)
    connection.execute(update(Webhook.table).where(chosen).values(values))
    if is_there:
        note_change(connection, endpoints)
